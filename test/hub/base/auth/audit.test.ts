// The audit trail against a list of what happened, and the bounds of refusals against a count of them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { AuditEntry } from '#hub/base/auth/audit.ts';
import { boundRefusals } from '#hub/base/auth/audit-refusals.ts';
import { readAuditPage } from '../../../support/audit-page.ts';
import { openAuthDesk, requestOf } from '../../../support/auth-desk.ts';

const by = { method: 'local', actor: 'me', credential: 'session:1' } as const;

function entryOf(n: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    type: 'api_mutation',
    outcome: 'success',
    request: requestOf({ id: `r${n % 3}` }),
    by,
    metadata: { n },
    ...more,
  };
}

const numbersOf = (events: readonly { metadata: Record<string, unknown> | null }[]) =>
  events.map(({ metadata }) => metadata?.n);

test('pages together are the trail, newest first; a request has its events and its reads', async () => {
  const happened = fc.array(fc.record({ passed: fc.nat(1), isRead: fc.boolean() }), { maxLength: 12 });
  const isWhole = fc.asyncProperty(happened, fc.integer({ min: 1, max: 4 }), fc.nat(12), async (all, limit, until) => {
    await using desk = openAuthDesk();
    const { audit, clock } = desk;
    const begun = clock.now();
    const kept: { n: number; at: number; isRead: boolean }[] = [];
    for (const [n, { passed, isRead }] of all.entries()) {
      clock.skip(passed);
      kept.push({ n, at: clock.now(), isRead });
      await (isRead ? audit.noteRead(entryOf(n)) : audit.record(entryOf(n)));
    }
    const newest = kept.toSorted(
      (one, other) => other.at - one.at || Number(other.isRead) - Number(one.isRead) || other.n - one.n,
    );
    const before = begun + until;
    const seen: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await readAuditPage(desk, { limit, before, after });
      expect(page.events.length).toBe(Math.min(limit, page.events.length));
      seen.push(...numbersOf(page.events));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(newest.filter(({ at, isRead }) => !isRead && at < before).map(({ n }) => n));
    const found = await audit.ofRequest('r1', limit);
    const times = newest.filter(({ n }) => n % 3 === 1).slice(0, limit);
    expect(found.map(({ createdAt }) => createdAt)).toEqual(times.map(({ at }) => at));
    expect(numbersOf(await audit.ofRequest('r1', 100)).toSorted()).toEqual(
      newest
        .filter(({ n }) => n % 3 === 1)
        .map(({ n }) => n)
        .toSorted(),
    );
  });
  await fc.assert(isWhole, { numRuns: 25 });
});

test('a cursor that is none means the newest; what nobody asked for has no request', async () => {
  await using desk = openAuthDesk();
  await desk.audit.record({ type: 'backup_restored', outcome: 'success', request: null, by: { ...by, actor: null } });
  for (const cursor of ['', '!', '1.2x', 'x1.2', '1.', '1'.repeat(17).concat('.1')]) {
    const page = await readAuditPage(desk, { limit: 1, after: Buffer.from(cursor).toString('base64url') });
    expect([cursor, page.events.length, page.next]).toEqual([cursor, 1, null]);
  }
  const { events } = await readAuditPage(desk, { limit: 1 });
  expect(events[0]).toMatchObject({
    ...{ actorHash: null, requestId: null, clientIpHash: null, httpMethod: null, path: null, metadata: null },
    principalHash: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
});

test(`the latest ${limits.auditReads} reads are found`, async () => {
  await using desk = openAuthDesk();
  for (let n = 0; n <= limits.auditReads; n += 1) {
    desk.audit.noteRead(entryOf(n, { request: requestOf({ id: `r${n}` }) }));
  }
  const found = async (n: number) => (await desk.audit.ofRequest(`r${n}`, 10)).length;
  expect([await found(0), await found(1), await found(limits.auditReads)]).toEqual([0, 1, 1]);
});

const kinds = fc.constantFrom<Pick<AuditEntry, 'type' | 'outcome'>>(
  { type: 'login', outcome: 'failure' },
  { type: 'login', outcome: 'success' },
  { type: 'permission_denied', outcome: 'failure' },
  { type: 'oidc_login_started', outcome: 'success' },
  { type: 'api_mutation', outcome: 'failure' },
);
const refusal = fc.record({
  kind: kinds,
  address: fc.constantFrom(null, ...Array.from({ length: 12 }, (_, n) => `203.0.113.${n}`)),
  credential: fc.constantFrom(null, 'session:1', 'session:2'),
  reason: fc.constantFrom(undefined, 'wrong_secret'),
  times: fc.integer({ min: 1, max: 12 }),
  passed: fc.constantFrom(0, 0, 0, 0, limits.auditRefusalWindowMs),
});

test('ten refusals of a cause and a hundred of a kind are recorded in an hour, and the rest is counted', async () => {
  await using desk = openAuthDesk();
  const isCounted = fc.asyncProperty(fc.array(refusal, { minLength: 20, maxLength: 60 }), async (all) => {
    const seen: AuditEntry[] = [];
    const keep = async (entry: AuditEntry) => void seen.push(entry);
    const trail = boundRefusals({ ...desk.audit, record: keep, note: (entry) => void keep(entry) }, desk.clock);
    const taken = new Map<string, number>();
    const left = new Map<string, number>();
    const count = (counts: Map<string, number>, key: string) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts.get(key) ?? 0;
    };
    let recorded = 0;
    for (const { kind, address, credential, reason, times, passed } of all) {
      desk.clock.skip(passed);
      if (passed > 0) {
        taken.clear();
      }
      const isBounded = kind.type !== 'api_mutation' && (kind.type !== 'login' || kind.outcome === 'failure');
      const name = [kind.type, 'local', reason ?? ''].join(' ');
      const cause = kind.type === 'permission_denied' ? (credential ?? address) : address;
      for (let n = 0; n < times; n += 1) {
        const request = address === null ? null : requestOf({ address });
        const entry = { ...kind, request, by: { ...by, credential }, ...(reason && { metadata: { reason } }) };
        await (n % 2 === 0 ? trail.record(entry) : trail.note(entry));
        const isAdmitted = !isBounded || (count(taken, `${name} by ${cause}`) <= 10 && count(taken, name) <= 100);
        if (isAdmitted) {
          recorded += 1;
        } else {
          count(left, name);
        }
      }
    }
    expect(seen.splice(0)).toHaveLength(recorded);
    await trail.recordCounts();
    const counted = seen.map(({ type, by: { method }, metadata }) => [
      [type, method, metadata?.reason ?? ''].join(' '),
      metadata?.repeated,
    ]);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(left));
    await trail.recordCounts();
    expect(seen).toHaveLength(left.size);
  });
  await fc.assert(isCounted, { numRuns: 25 });
});
