// Where closed hours are sent: the variables MONITOR_CLICKHOUSE_…. Without a URL there is no sink.
import { z } from 'zod';
import { isLoopbackHost } from '#kernel/net/address.ts';
import { flag, whole } from '#kernel/process/env.ts';
import { variableSchemas } from './variables/variable.ts';

export interface SinkUser {
  name: string;
  password: string;
}

export interface SinkSettings {
  /** Address of the HTTP interface, without path, user or query. */
  url: URL;
  database: string;
  /** Inserts, and needs no other right. */
  writer: SinkUser;
  /** Counts, compares and answers long-range queries; null: none was named, and nothing is read. */
  reader: SinkUser | null;
  /** PEM of the authority that signed the certificate of the server; null: the public ones. */
  ca: string | null;
  /** Tells this hub from others in the same table. */
  hub: string;
  /** Days that rows stay in the table that `gatehouse sink schema` prints; null: for ever. */
  ttlDays: number | null;
}

const longest = { name: 128, password: 512, ttlDays: 36_500 };

const name = (fallback: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'must begin with a letter or digit, with - _ . behind it')
    .max(longest.name, `must have at most ${longest.name} characters`)
    .default(fallback);

const password = z.string().max(longest.password, `must have at most ${longest.password} characters`).optional();

export const sinkVariables = {
  MONITOR_CLICKHOUSE_URL: {
    schema: z.string().transform(serverUrl).optional(),
    text: 'HTTP interface of the ClickHouse server that closed hours are sent to; absent: none are sent.',
  },
  MONITOR_CLICKHOUSE_DATABASE: { schema: name('gatehouse'), text: 'Database of the table.' },
  MONITOR_CLICKHOUSE_USER: { schema: name('gatehouse_writer'), text: 'User who inserts; needs no other right.' },
  MONITOR_CLICKHOUSE_PASSWORD: { schema: password, secret: true, text: 'Password of that user.' },
  MONITOR_CLICKHOUSE_READER_USER: {
    schema: name('gatehouse_reader'),
    text: 'User who counts, compares and answers questions about long ranges.',
  },
  MONITOR_CLICKHOUSE_READER_PASSWORD: {
    schema: password,
    secret: true,
    text: 'Password of that user; absent: nothing is read.',
  },
  MONITOR_CLICKHOUSE_CA: {
    schema: z
      .string()
      .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'must be a certificate in PEM form')
      .optional(),
    text: 'Certificate, in PEM form, of the authority that signed that of the server; absent: the public ones.',
  },
  MONITOR_CLICKHOUSE_HUB: { schema: name('hub'), text: 'Name of this hub in a table that several hubs share.' },
  MONITOR_CLICKHOUSE_TTL_DAYS: {
    schema: whole(0, longest.ttlDays).default(0),
    text: 'Days that rows are stored, in the table that gatehouse sink schema prints; 0 stores all.',
  },
  MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT: {
    schema: flag(),
    text: 'Accepts plain HTTP to a server that is not on loopback.',
  },
} as const;

export const sinkEnv = variableSchemas(sinkVariables);

export type SinkEnv = z.output<z.ZodObject<typeof sinkEnv>>;

/** Returns null without a URL. Throws an Error for plain HTTP to another machine unless that was accepted. */
export function sinkSettings(env: SinkEnv): SinkSettings | null {
  const url = env.MONITOR_CLICKHOUSE_URL;
  if (url === undefined) {
    return null;
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname) && !env.MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT) {
    throw new Error(
      `MONITOR_CLICKHOUSE_URL: ${url.origin} is plain HTTP: anybody on the way can read the password and where this network's data goes. Use https, or accept this with MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT=true`,
    );
  }
  const readerPassword = env.MONITOR_CLICKHOUSE_READER_PASSWORD;
  return {
    url,
    database: env.MONITOR_CLICKHOUSE_DATABASE,
    writer: { name: env.MONITOR_CLICKHOUSE_USER, password: env.MONITOR_CLICKHOUSE_PASSWORD ?? '' },
    reader:
      readerPassword === undefined ? null : { name: env.MONITOR_CLICKHOUSE_READER_USER, password: readerPassword },
    ca: env.MONITOR_CLICKHOUSE_CA ?? null,
    hub: env.MONITOR_CLICKHOUSE_HUB,
    ttlDays: env.MONITOR_CLICKHOUSE_TTL_DAYS === 0 ? null : env.MONITOR_CLICKHOUSE_TTL_DAYS,
  };
}

/** An http or https address of a server alone: what else belongs to a connection has variables of its own. */
function serverUrl(given: string, context: z.RefinementCtx): URL {
  const url = URL.parse(given);
  const isServer =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
  if (!isServer || url.pathname !== '/') {
    const example = 'https://clickhouse.example.net:8443';
    context.addIssue({ code: 'custom', message: `must be an address such as ${example}, without path, user or query` });
    return z.NEVER;
  }
  return url;
}
