// Reads the audit store of the endpoint: rows by request id, and the texts of all tables.

import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import type { Answer } from '../target.ts';
import { getHeader } from './answer-headers.ts';

export interface AuditRow {
  outcome: string;
  reason: string | null;
  subject: string | null;
  client: string | null;
}

/** Rows may be written a moment after the answer. */
const patienceMs = 3000;
const betweenMs = 100;

/** The id under which the endpoint knows the request: the one it answered with, else the one that was sent. */
export function getRequestId(answer: Answer): string {
  return getHeader(answer, 'x-request-id') || answer.requestId;
}

/** Resolves to rows by request id once all are present, or after three seconds. */
export async function rowsById(
  file: string,
  ids: readonly string[],
  clock: Clock = systemClock,
): Promise<Map<string, AuditRow>> {
  const giveUpAt = clock.now() + patienceMs;
  for (;;) {
    const rows = withAuditStore(file, (store) => {
      const find = store.prepare(
        `SELECT outcome, reason, subject_hash AS subject, client_id_hash AS client FROM mcp_audit
         WHERE request_id = ? ORDER BY seq LIMIT 1`,
      );
      return new Map(
        ids.flatMap((id) => {
          const row = find.get(id) as AuditRow | undefined;
          return row ? [[id, row] as const] : [];
        }),
      );
    });
    if (rows.size === new Set(ids).size || clock.now() >= giveUpAt) {
      return rows;
    }
    await clock.sleep(betweenMs);
  }
}

/** The newest `most` rows of every table, each as the text of all its columns. */
export function readStoredTexts(file: string, most: number): string[] {
  return withAuditStore(file, (store) => {
    const tables = store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => {
      const rows = store.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}" ORDER BY rowid DESC LIMIT ?`).all(most);
      return rows.map((row) =>
        Object.values(row as object)
          .map(toText)
          .join('\n'),
      );
    });
  });
}

function toText(value: unknown): string {
  return Buffer.isBuffer(value) ? `${value.toString('latin1')}\n${value.toString('hex')}` : String(value ?? '');
}

export function withAuditStore<T>(file: string, read: (store: ReadConnection) => T): T {
  const store = new ReadConnection(file, 1024);
  try {
    return read(store);
  } finally {
    store.close();
  }
}
