// Each check of the soak in virtual time finds nothing in what is as it must be, and what is planted.
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { type Circumstances, checks, differences } from './checks.ts';
import { createModel, type Model, rollBack } from './model.ts';
import { tickMs } from './plan.ts';
import type { Seen } from './seen.ts';

const begunAt = Date.UTC(2026, 2, 22, 0, 10);
const now = begunAt + 10 * dayMs;
const flow = '192.168.100.3 203.0.113.100 443 TCP';
const old = '192.168.100.3 203.0.113.101 443 TCP';
const seenAt = now - 3 * hourMs;
const hour = Math.floor(seenAt / hourMs);

/** A home of ten days in which all is well. */
function scene(): { model: Model; seen: Seen; world: Circumstances } {
  const model = createModel({ retentionDays: 7, sessionTtlMs: 5 * dayMs, intervalMs: tickMs });
  const sighting = { flow, from: seenAt - minuteMs, at: seenAt, storedAt: seenAt, isSure: true };
  const longAgo = now - 9 * dayMs;
  model.sightings.push(sighting, { flow: old, from: longAgo, at: longAgo, storedAt: longAgo, isSure: true });
  for (let at = now - 2 * dayMs; at <= now; at += tickMs) {
    model.reads.push({ router: 'r1', at, isSure: true });
  }
  model.sessions.push({ token: 's1', usedAt: now - dayMs, hasEnded: false });
  model.sessions.push({ token: 's2', usedAt: now - 6 * dayMs, hasEnded: false });
  model.identities.push({ token: 'i1', expiresAt: now + dayMs }, { token: 'i2', expiresAt: now - dayMs });
  model.macs.add('00:00:5e:00:53:01');
  model.audit.set('login', 2);
  model.listed.set('203.0.113.100', begunAt);
  model.running.push({ from: begunAt, to: Number.POSITIVE_INFINITY });
  model.homeCountry = 'DE';
  const dates = ['22', '23', '24', '25', '26', '27', '28', '29', '30', '31'].map((day) => `2026-03-${day}`);
  const seen: Seen = {
    ...{ at: now, flows: new Map([[flow, seenAt]]), hours: new Set([`${flow} ${hour}`]), total: 1, summaryTotal: 1 },
    ...{ macs: new Set(model.macs), audit: new Map([['login', 2]]), sessions: 1, homeCountry: 'DE' },
    identities: new Map([
      ['i1', true],
      ['i2', false],
    ]),
    generations: [1, 2, 3].map((day) => ({ name: `g${day}`, madeAt: now - (3 - day) * dayMs - hourMs })),
    ...{ newestIs: 'ok', covered: new Map([['r1', dayMs]]), analyses: new Map(dates.map((date) => [date, 1])) },
    ...{ monthRequests: 1, monthAnalyses: 1, threats: new Set(['192.168.100.3 203.0.113.100']), waitingMessages: 0 },
  };
  const world = { routers: ['r1'], begunAt, mostGenerations: 5, feedsWellSince: begunAt, chatWellSince: begunAt };
  return { model, seen, world };
}

/** The counts agree with them. */
function flowsAre(seen: Seen, flows: [string, number][]): void {
  Object.assign(seen, { flows: new Map(flows), total: flows.length, summaryTotal: flows.length });
}

interface Plant {
  check: string;
  what: string;
  plant(scene: { model: Model; seen: Seen; world: Circumstances }): void;
}

const plants: readonly Plant[] = [
  { check: 'flows', what: 'a flow is lost', plant: ({ seen }) => flowsAre(seen, []) },
  {
    check: 'flows',
    what: 'a flow is too old',
    plant: ({ seen }) =>
      flowsAre(seen, [
        [flow, seenAt],
        [old, now - 9 * dayMs],
      ]),
  },
  {
    check: 'flows',
    what: 'its last hour is forgotten',
    plant: ({ seen }) => void seen.flows.set(flow, seenAt - hourMs),
  },
  { check: 'flows', what: 'it is seen in the future', plant: ({ seen }) => void seen.flows.set(flow, now + 1) },
  { check: 'hours', what: 'an hour is lost', plant: ({ seen }) => seen.hours.clear() },
  { check: 'hours', what: 'an hour is twice', plant: ({ seen }) => void seen.hours.add(`${flow} ${hour + 1}`) },
  { check: 'counts', what: 'the list counts another', plant: ({ seen }) => void Object.assign(seen, { total: 2 }) },
  { check: 'counts', what: 'so does the summary', plant: ({ seen }) => void Object.assign(seen, { summaryTotal: 0 }) },
  { check: 'devices', what: 'a device is gone', plant: ({ seen }) => seen.macs.clear() },
  { check: 'devices', what: 'one is made up', plant: ({ seen }) => void seen.macs.add('00:00:5e:00:53:99') },
  { check: 'audit', what: 'a row is lost', plant: ({ seen }) => void seen.audit.set('login', 1) },
  { check: 'sessions', what: 'one does not end', plant: ({ seen }) => void Object.assign(seen, { sessions: 2 }) },
  { check: 'identities', what: 'one outlives its time', plant: ({ seen }) => void seen.identities.set('i2', true) },
  { check: 'identities', what: 'one is refused', plant: ({ seen }) => void seen.identities.set('i1', false) },
  { check: 'backups', what: 'none for two days', plant: ({ seen }) => void seen.generations.splice(1) },
  {
    check: 'backups',
    what: 'too many are kept',
    plant: ({ seen }) =>
      void seen.generations.unshift(...Array.from({ length: 4 }, () => ({ name: 'g', madeAt: begunAt }))),
  },
  {
    check: 'backups',
    what: 'one is damaged',
    plant: ({ seen }) => void Object.assign(seen, { newestIs: 'row 1 missing' }),
  },
  {
    check: 'coverage',
    what: 'a gap nobody made',
    plant: ({ seen }) => void seen.covered.set('r1', dayMs - 3 * hourMs),
  },
  { check: 'coverage', what: 'more than a day', plant: ({ seen }) => void seen.covered.set('r1', dayMs + hourMs) },
  {
    check: 'analyses',
    what: 'none on the day of the change',
    plant: ({ seen }) => void seen.analyses.delete('2026-03-29'),
  },
  { check: 'analyses', what: 'two on it', plant: ({ seen }) => void seen.analyses.set('2026-03-29', 2) },
  { check: 'usage', what: 'of another month', plant: ({ seen }) => void Object.assign(seen, { monthRequests: 2 }) },
  { check: 'detections', what: 'a threat is not told', plant: ({ seen }) => seen.threats.clear() },
  { check: 'chat', what: 'a message is stuck', plant: ({ seen }) => void Object.assign(seen, { waitingMessages: 1 }) },
  {
    check: 'settings',
    what: 'a refused one is there',
    plant: ({ seen }) => void Object.assign(seen, { homeCountry: 'JP' }),
  },
];

describe('what the hub holds after a day', () => {
  test('is as it must be', () => {
    const { model, seen, world } = scene();
    expect(differences(model, seen, world)).toEqual([]);
  });

  test.each(plants)('$check: $what', ({ check, plant }) => {
    const all = scene();
    plant(all);
    expect(differences(all.model, all.seen, all.world)).toEqual([expect.stringMatching(new RegExp(`^${check}: `))]);
  });

  test('every check has a plant', () => {
    expect(new Set(plants.map(({ check }) => check))).toEqual(new Set(Object.keys(checks)));
  });
});

describe('a restore in the model', () => {
  test('the log is that of the generation, sessions are over, identities stay', () => {
    const { model, seen, world } = scene();
    rollBack(model, seenAt - 1, now);
    expect(differences(model, { ...seen, sessions: 0 }, world)).toEqual([
      expect.stringMatching(/^flows: 1 flows in the log that were never shown/),
      expect.stringMatching(/^hours: 1 hours in the log in which nothing was shown/),
      expect.stringMatching(/^coverage: /),
    ]);
  });

  test('the copy that was made before it brings back what it took away', () => {
    const { model, seen, world } = scene();
    rollBack(model, seenAt - 1, now - minuteMs);
    rollBack(model, now - minuteMs, now);
    expect(differences(model, { ...seen, sessions: 0 }, world)).toEqual([]);
  });

  test('restores on days in a row put the backup off that would delete their copies; one long before does not', () => {
    const { model, seen, world } = scene();
    const copies = Array.from({ length: 5 }, () => ({ name: 'g', madeAt: begunAt }));
    const generations = [...copies, ...seen.generations];
    model.restores.push(...[1.9, 1.7, 0.9].map((days) => now - days * dayMs));
    expect(differences(model, { ...seen, generations }, world)).toEqual([]);
    model.restores.splice(0, 2, ...[3.9, 2.7].map((days) => now - days * dayMs));
    expect(differences(model, { ...seen, generations }, world)).toEqual([
      expect.stringMatching(/^backups: 8 generations are kept, not 7/),
    ]);
  });
});
