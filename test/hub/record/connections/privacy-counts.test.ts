// A random LAN, random rules and random batches: what is counted and what is kept is what a model says.
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { toRuleValue } from '#contract/privacy.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { readUnkept } from '#hub/record/connections/privacy/counts.ts';
import { createMarks } from '#hub/record/connections/privacy/marks.ts';
import { createRecorder } from '#hub/record/connections/record/recorder.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { createLog } from '#kernel/process/log.ts';
import { createKey } from '#kernel/text/secret.ts';
import { openLan } from '../../../support/lan.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { verifies } from '../../../support/verifies.ts';

const hosts = [1, 2, 3, 4, 5, 6] as const;
const addressOf = (host: number) => `192.168.1.${host * 40}`;
const macOf = (host: number) => `02:00:5e:10:00:0${host}`;
/** Host 6 is in no table: nobody knows whose address it is. */
const isKnown = (host: number) => host < 6;

const rule = fc.oneof(
  fc.record({ kind: fc.constant('device' as const), host: fc.constantFrom(...hosts) }),
  fc.record({
    kind: fc.constant('range' as const),
    length: fc.integer({ min: 24, max: 32 }),
    host: fc.constantFrom(...hosts),
  }),
  fc.record({ kind: fc.constant('guests' as const) }),
);
const seen = fc.record({
  host: fc.constantFrom(...hosts),
  dst: fc.integer({ min: 1, max: 9 }),
  isNew: fc.boolean(),
  bytes: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { nil: null }),
});
const step = fc.record({
  rules: fc.array(rule, { maxLength: 3 }),
  noted: fc.subarray([...hosts]),
  batch: fc.array(seen),
});
type Rule = typeof rule extends fc.Arbitrary<infer R> ? R : never;

function isInRange(host: number, { host: of, length }: { host: number; length: number }): boolean {
  const shift = 32 - length;
  return (host * 40) >> shift === (of * 40) >> shift;
}

function covers(host: number, one: Rule, noted: readonly number[]): boolean {
  switch (one.kind) {
    case 'device':
      return one.host === host || !isKnown(host);
    case 'range':
      return isInRange(host, one);
    case 'guests':
      return !isKnown(host) || !noted.includes(host);
  }
}

verifies(
  'rest.privacy.counted',
  'counts by device and kept flows are those of a model, for any mix of marks',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        await using lan = openLan();
        using folder = temporaryFolder();
        const settings = openDocument(path.join(folder.path, 'monitor.json'), createKey());
        const marks = createMarks({ db: lan.db, settings, notes: lan.notes.all });
        const record = createRecorder({
          ...{ db: lan.db, log: createLog('hub', 'silent'), devices: lan.devices, marks, pollMs: 60_000 },
          detection: { threats: async () => {} },
          announcer: { publish: async () => {} },
          starts: { isWorthKeeping: () => false, *writeStarts() {} },
          sessionLog: { *writeSessions() {} },
          factProvider: async () => ({
            describe: () => null,
            describeSource: lan.devices.describeSource,
            judge: () => null,
          }),
        });
        await lan.see(hosts.filter(isKnown).map((host) => ({ address: addressOf(host), mac: macOf(host) })));
        const idOf = new Map(
          hosts.map((host) => [host, isKnown(host) ? lan.device(macOf(host)).deviceId : addressOf(host)]),
        );
        const counted = new Map<string, { connections: number; bytesIn: bigint | null }>();
        const kept = new Set<string>();
        for (const { rules, noted, batch } of steps) {
          const now = lan.clock.now();
          settings.update((all) => ({
            ...all,
            privacy: {
              rules: rules.map((one, index) => ({
                ...{ id: String(index), kind: one.kind, tellThreats: false, since: 0, by: 'a test' },
                value:
                  one.kind === 'device'
                    ? macOf(one.host)
                    : one.kind === 'range'
                      ? (toRuleValue('range', `${addressOf(one.host)}/${one.length}`) ?? '')
                      : '',
              })),
            },
          }));
          for (const host of hosts.filter(isKnown)) {
            await lan.notes.write({ deviceId: idOf.get(host), note: noted.includes(host) ? 'a person' : '' });
          }
          const observations = batch.map(({ host, dst, isNew, bytes }): Observation => {
            const agent = { host: 'x', process: 'p', pid: 0, bytesIn: bytes, bytesOut: null };
            return {
              ...{ src: addressOf(host), dst: `203.0.113.${dst}`, dport: 443, proto: 'TCP', sport: null, ttl: null },
              ...{ startedAt: now, at: now, newSession: isNew ? 'exact' : undefined, agent },
            };
          });
          await record({ routerId: 'router-1', kind: 'vendor_a', observations, now });
          for (const { host, dst, isNew, bytes } of batch) {
            const holder = idOf.get(host) ?? '';
            if (rules.some((one) => covers(host, one, noted))) {
              const { connections, bytesIn } = counted.get(holder) ?? { connections: 0, bytesIn: null };
              const sum = bytes === null ? bytesIn : (bytesIn ?? 0n) + bytes;
              counted.set(holder, { connections: connections + (isNew ? 1 : 0), bytesIn: sum });
            } else {
              kept.add(`${addressOf(host)} 203.0.113.${dst}`);
            }
          }
          await lan.clock.advance(17 * 60_000);
        }
        const counts = readUnkept(lan.db, {}).map(({ holder, connections, bytesIn }) => [holder, connections, bytesIn]);
        const expected = [...counted].map(([holder, of]) => [holder, of.connections, of.bytesIn?.toString() ?? null]);
        expect(counts.sort()).toEqual(expected.sort());
        expect(new Set(lan.connections().map(({ src, dst }) => `${src} ${dst}`))).toEqual(kept);
      }),
      { numRuns: runs(15, 150) },
    );
  },
);
