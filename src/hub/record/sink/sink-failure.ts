// Why ClickHouse did not take a batch, as one sentence with what to do.
import type { CauseCode } from '#contract/facts.ts';
import { messageOf } from '#kernel/errors.ts';
import { toCause } from '../../base/refusals.ts';
import type { SinkSettings } from '../../base/settings/sink.ts';

/** `rows`: it refuses these rows, others may pass. `server`: nothing passes until something changes. */
export interface SinkFailure {
  kind: 'rows' | 'server';
  sentence: string;
  /** Where the system, TLS or a code of ClickHouse names one. */
  cause?: CauseCode;
}

type Role = 'writer' | 'reader';
const variables = { writer: 'MONITOR_CLICKHOUSE', reader: 'MONITOR_CLICKHOUSE_READER' };
const userName = (settings: SinkSettings, as: Role) => settings[as]?.name ?? '';

/** Codes of ClickHouse: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp. */
const setUp = 'run the statements of "gatehouse sink schema" there';
type Remedy = (settings: SinkSettings, as: Role) => string;
const remedies: Readonly<Record<string, Remedy>> = {
  '60': ({ database }) => `${database} has no table flow_hour: ${setUp}`,
  '81': ({ database }) =>
    `there is no database ${database}: ${setUp}, or name another with MONITOR_CLICKHOUSE_DATABASE`,
  '16': () => `the table is not that of this version: compare it with "gatehouse sink schema"`,
  '497': (settings, as) =>
    `the user ${userName(settings, as)} may not ${as === 'writer' ? 'insert' : 'read'}: ${setUp}`,
  '516': (settings, as) =>
    `the user ${userName(settings, as)} or its password is refused: see ${variables[as]}_USER and ${variables[as]}_PASSWORD`,
  '243': () => 'the disk of the server is full: see which tables take it (docs/scale.md)',
  '252': () => 'the server has too many parts and merges them first',
  '241': () => 'the server has too little memory for the insert',
};

/** CANNOT_PARSE_…, INCORRECT_DATA, TYPE_MISMATCH and similar codes: the rows are wrong, not the server. */
const rowErrorCodes = new Set([
  '6',
  '25',
  '26',
  '27',
  '38',
  '41',
  '53',
  '69',
  '72',
  '117',
  '130',
  '131',
  '190',
  '349',
  '691',
]);

const causes: Readonly<Record<string, CauseCode>> = {
  '60': 'table_missing',
  '81': 'table_missing',
  '16': 'table_missing',
  '497': 'login_refused',
  '516': 'login_refused',
  '243': 'no_space',
  '252': 'overloaded',
  '241': 'overloaded',
};

const connectionRemedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: see that the server runs and the port is right',
  ENOTFOUND: 'the name is not known: see MONITOR_CLICKHOUSE_URL',
  EAI_AGAIN: 'the name cannot be looked up now',
  ETIMEDOUT: 'no answer: see that the server runs and can be reached',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
};

/** An error of the client itself has no code. */
const timeoutMessage = /^Timeout error\b/;
const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|ALTNAME/;

/** `as`: the user that asked; the writer inserts. */
export function toSinkFailure(error: unknown, settings: SinkSettings, as: Role = 'writer'): SinkFailure {
  const code = (error as { code?: unknown } | null)?.code;
  const named = typeof code === 'string' || typeof code === 'number' ? String(code) : '';
  const name = named === '' && timeoutMessage.test(messageOf(error)) ? 'ETIMEDOUT' : named;
  const server = settings.url.origin;
  const cause = causes[name] ?? toCause(name);
  const about = { kind: 'server', ...(cause && { cause }) } as const;
  const what = firstLine(messageOf(error));
  if (rowErrorCodes.has(name)) {
    return { kind: 'rows', sentence: `ClickHouse (${server}) does not take some rows (code ${name}): ${what}` };
  }
  const remedy = remedies[name]?.(settings, as) ?? connectionRemedies[name];
  if (remedy !== undefined) {
    return { ...about, sentence: `ClickHouse (${server}): ${remedy}` };
  }
  if (certificateCode.test(name)) {
    const ca = 'name the authority that signed it with MONITOR_CLICKHOUSE_CA_FILE';
    return { ...about, sentence: `ClickHouse (${server}): its certificate is not trusted (${name}): ${ca}` };
  }
  return { ...about, sentence: `ClickHouse (${server}) failed: ${what}` };
}

const longest = 200;

function firstLine(text: string): string {
  const line = text.split('\n')[0]?.trim() ?? '';
  return (line.length > longest ? `${line.slice(0, longest)} …` : line) || 'it gave no reason';
}
