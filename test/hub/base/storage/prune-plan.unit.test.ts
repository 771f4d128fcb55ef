// Which generations may go: the plan against the rules of the specification, for ten thousand random inventories.
import { describe, expect, test } from 'vitest';
import type { Integrity, InventoryEntry, PrunePlan } from '#contract/backup.ts';
import { compareAge, isFromAhead } from '#hub/base/storage/backup/inventory.ts';
import { type PlanInput, planPrune } from '#hub/base/storage/prune/plan.ts';
import { createRandom } from '../../../support/random.ts';
import { verifies } from '../../../support/verifies.ts';

const margin = 268_435_456;

/** `age` in days before the newest possible one. */
function entry(age: number, more: Partial<InventoryEntry> = {}): InventoryEntry {
  const created = new Date(Date.UTC(2026, 5, 1) - age * 86_400_000).toISOString();
  const name = `${more.kind ?? 'normal'}-${age}`;
  return { name, kind: 'normal', size: 100, created, integrity: 'ok', schema: 17, errorFacts: [], ...more };
}

function plan(entries: InventoryEntry[], more: Partial<PlanInput> = {}): PrunePlan {
  return planPrune({
    entries,
    config: { maxGenerations: 3, maxBackupBytes: 0 },
    dbSize: 1000,
    freeBytes: 1e12,
    stamps: Object.fromEntries(entries.map(({ name, size }) => [name, String(size)])),
    now: Date.UTC(2026, 5, 1),
    ...more,
  });
}

const reasons = ({ candidates }: PrunePlan) => candidates.map(({ name, reason }) => `${name} ${reason}`).sort();
const six = () => [0, 1, 2, 3, 4, 5].map((age) => entry(age));

describe('one reason at a time', () => {
  test('more than may be stored', () => {
    expect(reasons(plan(six()))).toEqual([3, 4, 5].map((age) => `normal-${age} generation-limit`));
  });
  test('nothing when nothing is too much', () => {
    expect(plan(six(), { config: { maxGenerations: 6, maxBackupBytes: 600 } })).toMatchObject({
      candidates: [],
      candidateBytes: 0,
      blocked: false,
    });
  });
  test('copies from before migrations but the newest one', () => {
    const copies = [2, 8, 9].map((age) => entry(age, { kind: 'migration' }));
    expect(reasons(plan(copies))).toEqual(['migration-8 migration-retention', 'migration-9 migration-retention']);
  });
  verifies('rest.backup.max-bytes-0', 'a cap takes the oldest; 0 is none', () => {
    const config = { maxGenerations: 9, maxBackupBytes: 450 };
    expect(reasons(plan(six(), { config }))).toEqual(['normal-4 storage-limit', 'normal-5 storage-limit']);
    expect(reasons(plan(six(), { config: { ...config, maxBackupBytes: 0 } }))).toEqual([]);
  });
  test('of generations of the same instant, the one whose name comes first', () => {
    const twins = ['c', 'a', 'd', 'b'].map((name) => entry(1, { name }));
    expect(plan(twins).candidates.map(({ name }) => name)).toEqual(['a']);
    expect(plan(twins.toReversed()).candidates.map(({ name }) => name)).toEqual(['a']);
  });
  test('room for the next migration, to the byte', () => {
    const config = { maxGenerations: 9, maxBackupBytes: 0 };
    for (const [missing, count] of [
      [0, 0],
      [1, 1],
      [100, 1],
      [101, 2],
    ] as const) {
      const made = plan(six(), { config, freeBytes: margin + 2000 - missing });
      const { migrationReady, shortfallBytes } = made.summary;
      expect([made.candidates.length, migrationReady, shortfallBytes]).toEqual([count, missing === 0, missing]);
    }
    expect(plan(six(), { config, freeBytes: margin + 2001 }).summary.shortfallBytes).toBe(0);
  });
  test('room for the next migration', () => {
    const config = { maxGenerations: 9, maxBackupBytes: 0 };
    const made = plan(six(), { config, freeBytes: margin + 2000 - 150 });
    expect(reasons(made)).toEqual(['normal-4 migration-space', 'normal-5 migration-space']);
    expect(made.summary).toMatchObject({ migrationReady: false, projectedMigrationReady: true, shortfallBytes: 150 });
  });
  verifies('rest.backup.keeps-2', 'two normal ones stay whatever the limits say, and that is said', () => {
    const made = plan(six(), { config: { maxGenerations: 2, maxBackupBytes: 1 }, freeBytes: 0 });
    expect(reasons(made)).toHaveLength(4);
    expect(made.candidates.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['normal-0']));
    expect(made.blocked).toBe(true);
  });
});

test('a generation of a clock that was more than five minutes ahead counts as the oldest', () => {
  const [now, ahead] = [1_000_000, 1_000_000 + 300_000];
  expect([ahead, ahead + 1].map((at) => isFromAhead(at, now))).toEqual([false, true]);
  const sorted = [now, ahead + 2, ahead, 0, ahead + 1].sort((one, other) => compareAge(one, other, now));
  expect(sorted).toEqual([ahead + 1, ahead + 2, 0, now, ahead]);
});

/** What the specification says, stated about a plan and not how it is made. */
function faults(input: PlanInput, made: PrunePlan): string[] {
  const names = new Set(made.candidates.map(({ name }) => name));
  const isAhead = ({ created }: InventoryEntry) => Date.parse(created) > input.now + 300_000;
  const whole = input.entries.filter(({ integrity }) => integrity === 'ok');
  const oldestFirst = (kind: string) =>
    whole
      .filter((one) => one.kind === kind)
      .sort((a, b) => Number(isAhead(b)) - Number(isAhead(a)) || Date.parse(a.created) - Date.parse(b.created));
  const [normal, migration] = [oldestFirst('normal'), oldestFirst('migration')];
  const bytes = (these: readonly { size: number }[]) => these.reduce((sum, { size }) => sum + size, 0);
  const all = bytes(input.entries);
  const stays = normal.filter(({ name }) => !names.has(name));
  const { maxGenerations, maxBackupBytes } = input.config;
  const isOverCap = (freed: number) => maxBackupBytes > 0 && all - freed > maxBackupBytes;
  const lacksRoom = (freed: number) => input.freeBytes + freed < 2 * input.dbSize + margin;
  const isOver = (freed: number, left: number) => left > maxGenerations || isOverCap(freed) || lacksRoom(freed);
  const freed = bytes(made.candidates);
  const [newest, second] = normal.toReversed();
  const chosen = (reason: string) => made.candidates.filter((one) => one.reason === reason);
  /** The newest one that goes for a reason: without it there would still be too much. */
  const last = (reason: string) => normal.findLast((one) => chosen(reason).some(({ name }) => name === one.name));
  const [forRoom, forCap] = [last('migration-space'), last('storage-limit')];
  const needless = [
    ...(forRoom && !lacksRoom(freed - bytes(chosen('storage-limit')) - forRoom.size) ? [forRoom] : []),
    ...(forCap && !isOverCap(freed - forCap.size) ? [forCap] : []),
  ];
  const lastNormal = Math.max(-1, ...normal.map(({ name }, at) => (names.has(name) ? at : -1)));
  return [
    ...made.candidates.filter(({ integrity }) => integrity !== 'ok').map(() => 'one that is not whole goes'),
    ...[newest, second].filter((one) => one && names.has(one.name)).map(() => 'one of the two newest goes'),
    ...(names.has(migration.at(-1)?.name ?? '') ? ['the newest from before a migration goes'] : []),
    ...(migration.slice(0, -1).some(({ name }) => !names.has(name)) ? ['an older one of a migration stays'] : []),
    ...(stays.length > 2 && stays.length > Math.max(2, maxGenerations) ? ['too many stay'] : []),
    ...(stays.length > 2 && isOver(freed, stays.length) ? ['one stays though it is too much'] : []),
    ...needless.map(() => 'more go than are needed'),
    ...(normal.slice(0, lastNormal + 1).some(({ name }) => !names.has(name)) ? ['an older one stays'] : []),
    ...(made.candidateBytes === freed ? [] : ['the bytes are wrong']),
    ...(made.summary.projectedBackupBytes === all - freed ? [] : ['the bytes after it are wrong']),
    ...(made.summary.projectedMigrationReady === !lacksRoom(freed) ? [] : ['readiness is wrong']),
    ...(made.blocked ===
    isOver(freed, input.entries.filter((one) => one.kind === 'normal' && !names.has(one.name)).length)
      ? []
      : ['blocked is wrong']),
  ];
}

verifies('rest.backup.keeps-migration', '10,000 random inventories', () => {
  const random = createRandom(19);
  const below = (count: number) => Math.floor(random() * count);
  const integrities: readonly Integrity[] = ['ok', 'ok', 'ok', 'ok', 'failed', 'unchecked'];
  let candidates = 0;
  for (let run = 0; run < 10_000; run += 1) {
    const ages = Array.from({ length: below(14) }, (_, at) => at).sort(() => random() - 0.5);
    const entries = ages.map((age) =>
      entry(age, {
        kind: random() < 0.25 ? 'migration' : 'normal',
        size: 1 + below(1000),
        integrity: integrities[below(integrities.length)] ?? 'ok',
      }),
    );
    const input: PlanInput = {
      entries,
      // Before that, a clock was ahead.
      now: Date.UTC(2026, 5, 1) - below(10) * 86_400_000,
      config: { maxGenerations: 2 + below(8), maxBackupBytes: random() < 0.5 ? 0 : below(6000) },
      dbSize: below(2000),
      freeBytes: random() < 0.5 ? 1e12 : margin + below(4000),
      stamps: Object.fromEntries(entries.map(({ name }) => [name, `${below(5)}`])),
    };
    const made = planPrune(input);
    expect([run, faults(input, made)]).toEqual([run, []]);
    candidates += made.candidates.length;
    const shuffled = planPrune({ ...input, entries: entries.toSorted(() => random() - 0.5) });
    expect(shuffled.planHash).toBe(made.planHash);
    for (const { name } of made.candidates.slice(0, 1)) {
      const other = planPrune({ ...input, stamps: { ...input.stamps, [name]: 'changed' } });
      expect(other.planHash).not.toBe(made.planHash);
    }
  }
  expect(candidates).toBeGreaterThan(10_000);
});
