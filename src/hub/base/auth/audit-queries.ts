// Pages and searches of the audit trail, for reader threads.
import type { z } from 'zod';
import type { authRoutes } from '#contract/auth.ts';
import { authLimits } from '#contract/auth-limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type AuditEvent, type AuditRow, rowColumns, toAuditEvent } from './audit-row.ts';

type PageQuery = Omit<z.output<typeof authRoutes.auditEvents.query>, 'requestId'>;

/** The place of an event in the order of the trail. */
interface TrailPosition {
  createdAt: number;
  id: number;
}

const olderEvents = `FROM audit_event WHERE created_at < @before AND (created_at, id) < (@afterTime, @afterId)
  ORDER BY created_at DESC, id DESC`;
/** Looks at the next @searched events only: the caller continues the search with the next request. */
const selectPage = `SELECT * FROM (SELECT ${rowColumns} ${olderEvents} LIMIT @searched)
  WHERE eventType = ifnull(@type, eventType) AND outcome = ifnull(@outcome, outcome)
    AND instr(lower(concat_ws(' ', eventType, authMethod, httpMethod, path, requestId, actorHash, principalHash,
      clientIpHash, metadata)), lower(@q))
  ORDER BY createdAt DESC, id DESC LIMIT @limit`;
/** The position at which the search of the next page begins. No row when the search has reached the end of the trail. */
const selectLastSearched = `SELECT created_at AS createdAt, id ${olderEvents} LIMIT 1 OFFSET @searched - 1`;

export const auditQueries = {
  /**
   * Newest first. `before` is exclusive; `after` is the `next` of an earlier page. A search looks at
   * `authLimits.auditSearched` events: its page may have fewer events than `limit`, or none, and still a `next`.
   */
  auditPage(
    reader: Pick<Reader, 'prepare'>,
    { limit = authLimits.auditPageDefault, before = Number.MAX_SAFE_INTEGER, after, type, outcome, q = '' }: PageQuery,
  ): { events: AuditEvent[]; next: string | null } {
    const [afterTime, afterId] = parseCursor(after);
    const isSearch = type !== undefined || outcome !== undefined || q !== '';
    const searched = isSearch ? authLimits.auditSearched : limit + 1;
    const range = { before, afterTime, afterId, searched };
    const filter = { type: type ?? null, outcome: outcome ?? null, q };
    const rows = reader.prepare(selectPage).all({ ...range, ...filter, limit: limit + 1 }) as (AuditRow &
      TrailPosition)[];
    const shown = rows.slice(0, limit);
    const findLastSearched = () => reader.prepare(selectLastSearched).get(range) as TrailPosition | undefined;
    const last = rows.length > limit ? shown.at(-1) : isSearch ? findLastSearched() : undefined;
    return { events: shown.map(toAuditEvent), next: last ? toCursor(last) : null };
  },
};

export type AuditQueries = typeof auditQueries;

function toCursor({ createdAt, id }: TrailPosition): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

/** Where a page begins; a cursor that is none means the newest. */
function parseCursor(after: string | undefined): [time: number, id: number] {
  const [, time, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(after ?? '', 'base64url').toString()) ?? [];
  return [Number(time ?? Number.MAX_SAFE_INTEGER), Number(id ?? Number.MAX_SAFE_INTEGER)];
}
