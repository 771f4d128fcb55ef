// Reads the events that the filters of the URL select.
import type { AuditEventType } from '#contract/auth-records.ts';
import { ask, type Reply } from '../../api/client.ts';
import { query } from '../../state/url.ts';
import { en } from '../../text/settings/en-audit.ts';

export type AuditEvent = Reply<'GET /api/auth/audit-events'>['events'][number];

/** The types to choose from. No search finds `api_read`, which only the request id finds. */
export const types = (Object.keys(en.types) as AuditEventType[]).filter((type) => type !== 'api_read');
export const outcomes = ['success', 'failure'] as const;

export type AuditFilter = ReturnType<typeof readFilter>;

export function readFilter() {
  const get = (name: string) => query.value.get(name) ?? '';
  return {
    q: get('q'),
    type: types.find((type) => type === get('type')),
    outcome: outcomes.find((outcome) => outcome === get('outcome')),
  };
}

/** The hub sends at most so many events at once. */
const pageEvents = 500;

/** Reads the newest events that match, at most `most`; `hasMore` says whether there may be older ones. */
export async function readEvents(filter: AuditFilter, most: number, signal: AbortSignal) {
  const events: AuditEvent[] = [];
  let next: string | null = null;
  do {
    const limit = String(Math.min(pageEvents, most - events.length));
    const after = next === null ? {} : { after: next };
    const input = { query: { ...filter, ...after, limit } };
    const page: Reply<'GET /api/auth/audit-events'> = await ask('GET /api/auth/audit-events', input, signal);
    events.push(...page.events);
    next = page.next;
  } while (next !== null && events.length < most);
  return { events, hasMore: next !== null };
}
