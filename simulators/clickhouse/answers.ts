// What the simulated ClickHouse answers: inserts are carried out, of the questions it knows those that the sink asks, and
// from which hour to which there are rows.
import { parseIsoTime } from '#kernel/time/clock.ts';
import type { ServerRequest } from './request.ts';
import type { StoredRows } from './stored-rows.ts';

export interface Answer {
  status: number;
  body: string;
  code?: number;
}

/** Texts as a server words them; its version is behind each. */
export function exception(status: number, code: number, name: string, message: string): Answer {
  return { status, code, body: `Code: ${code}. DB::Exception: ${message}. (${name}) (version 26.7.2.1 (simulator))\n` };
}

/** Carries a statement out; an exception for one that the simulator does not know. */
export function answerRequest(request: ServerRequest, rows: StoredRows): Answer {
  const insert = /^INSERT INTO (\S+) \(([^)]*)\)\s+FORMAT TabSeparated$/i.exec(request.query);
  if (insert) {
    return insertRows(request, rows, insert[2] ?? '');
  }
  const { query, params } = request;
  if (query.startsWith('SELECT') && query.includes('system.parts')) {
    return toRows([{ rows: rows.inserted, bytes: rows.inserted * 20 }]);
  }
  if (query.startsWith('SELECT') && query.includes('GROUP BY hour_number') && params.hub !== undefined) {
    return toRows(countWithin(rows, params.hub, Number(params.from), Number(params.to)));
  }
  if (query.startsWith('SELECT') && query.includes('min(hour)') && params.hub !== undefined) {
    return toRows([heldHours(rows, params.hub)]);
  }
  return exception(400, 62, 'SYNTAX_ERROR', `the simulator has no answer to: ${query.slice(0, 100)}`);
}

/** Seconds since the epoch; 0 where there is no row, as the aggregates of ClickHouse. */
function heldHours(rows: StoredRows, hub: string) {
  const counts = countWithin(rows, hub, 0, Number.POSITIVE_INFINITY);
  const [oldest, newest] = [counts[0], counts.at(-1)].map((count) => (count?.hour_number ?? 0) * 3600);
  return { rows: counts.reduce((sum, { hour_rows }) => sum + hour_rows, 0), oldest, newest };
}

/** Seconds since the epoch, `to` excluded. */
function countWithin(rows: StoredRows, hub: string, from: number, to: number) {
  return [...rows.counts(hub)]
    .map(([hour, count]) => ({ at: (parseIsoTime(`${hour.replace(' ', 'T')}Z`) ?? 0) / 1000, count }))
    .filter(({ at }) => at >= from && at < to)
    .sort((a, b) => a.at - b.at)
    .map(({ at, count }) => ({ hour_number: at / 3600, hour_rows: count }));
}

function insertRows({ body, token }: ServerRequest, rows: StoredRows, names: string): Answer {
  try {
    rows.insert(
      names.split(',').map((name) => name.trim().replaceAll('`', '')),
      body,
      token,
    );
    return { status: 200, body: '' };
  } catch (error) {
    return exception(400, 27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED', `Cannot parse input: ${String(error)}`);
  }
}

function toRows(found: readonly object[]): Answer {
  return { status: 200, body: found.map((row) => `${JSON.stringify(row)}\n`).join('') };
}
