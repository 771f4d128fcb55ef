// The flow store in its file: a thread that starts with it counts as one that reads everything, and a stale file is refused.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { toFlowStoreFile } from '#hub/base/storage/flow-store-file.ts';
import { findRunAt, hasReached, noteRun } from '#hub/record/connections/store/change-log.ts';
import { removeKeptStore } from '#hub/record/connections/summary/index/kept-store.ts';
import { queries } from '#hub/record/connections/summary/queries.ts';
import type { SummaryParams } from '#hub/record/connections/summary/query.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import { readArrayFile, writeArrayFile } from '#kernel/columns/array-file.ts';
import { Db, type Reader } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { verdictOf } from '../../../support/connection-oracle.ts';
import {
  createDice,
  monthMs,
  monthStart,
  randomListings,
  randomPolls,
  randomWorld,
} from '../../../support/random-log.ts';
import { recordWorld } from '../../../support/record-world.ts';

const asked = (filter: SummaryParams['filter'] = {}, buckets = 7): SummaryParams => ({
  ...{ filter, src: [], target: undefined, country: undefined, buckets, now: noon },
});

/** Opens the log as a thread of a new start does: says whether every flow was read, and answers. */
function startAgain(log: Pick<ConnectionLog, 'db'>, params = asked()) {
  using connection = openReader(log);
  const statements: string[] = [];
  const reader: Reader = {
    file: connection.file,
    prepare: (sql) => {
      statements.push(sql);
      return connection.prepare(sql);
    },
    remembered: (key, read) => connection.remembered(key, read),
    attached: (key, make) => connection.attached(key, make),
  };
  const summary = queries.summary(reader, params);
  const hasReadAll = statements.some((sql) => /FROM flow$/.test(sql) && /destination_id/.test(sql));
  return { summary, hasReadAll, ...queries.keepFlowStore(reader, { least: 1 }) };
}

/** The same without the file. */
function readAnew(log: Pick<ConnectionLog, 'db'>, params = asked()) {
  removeKeptStore(log.db.file);
  const { summary, hasReadAll } = startAgain(log, params);
  expect(hasReadAll).toBe(true);
  return summary;
}

async function openNotedLog(): Promise<ConnectionLog> {
  const log = openConnectionLog();
  await log.db.write(noteRun);
  return log;
}

const used = { hasReadAll: false, refused: null };

test('however the log changed since, a start with the file answers as one that reads everything', async () => {
  const seed = 20_261_201;
  const dice = createDice(seed);
  const world = randomWorld(dice);
  const polls = randomPolls(dice, world, 60, 120);
  await using log = await openNotedLog();
  const judge = ({ dst, dport }: { dst: string; dport: number }) => verdictOf(world, dst, dport);
  const factProvider = { describe: () => null, describeSource: () => null, judge };
  const changes = [
    () => packHours(log.db, monthStart + dice.whole(monthMs)),
    () => pruneConnections(log.db, monthStart + dice.whole(monthMs / 4)),
    () => log.db.write(noteRun),
    () =>
      rejudgeFlows(log.db, { judge: () => null, destinations: randomListings(dice, world.destinations, 0.1).keys() }),
    async () => undefined,
  ];
  const files = { used: 0, kept: null as Buffer | null };
  const file = toFlowStoreFile(log.db.file);
  for (let from = 0; from < polls.length; from += 6) {
    await recordWorld(log, world, polls.slice(from, from + 6), factProvider);
    await dice.pick(changes)();
    const start = monthStart + dice.whole(monthMs);
    const window = dice.pick([{}, { from: start }, { from: start, to: start + dice.whole(9 * 24 * hour) }]);
    const params = asked(window, 1 + dice.whole(60));
    const { summary, hasReadAll, refused } = startAgain(log, params);
    files.used += hasReadAll ? 0 : 1;
    // Sometimes the hub is killed, so that the file before is found.
    files.kept = files.kept === null || dice.chance(0.6) ? readFileSync(file) : files.kept;
    expect([from, refused, summary]).toEqual([from, null, readAnew(log, params)]);
    writeFileSync(file, files.kept);
  }
  expect(files.used).toBeGreaterThan(5);
});

test('late rows, deleted flows, verdicts, many observations and new flows are in the file', async () => {
  await using log = await openNotedLog();
  const early = Array.from({ length: 300 }, (_, at) => ({ at: noon - 5 * hour + at * 11_000 }));
  for (const one of early) {
    await log.record([one]);
  }
  await log.record([{ dport: 1 }, { dport: 2 }, { dport: 3, dst: '203.0.113.9' }]);
  await log.judge('203.0.113.9', { level: 'danger' });
  using reader = openReader(log);
  queries.summary(reader, asked());
  await log.record([{ dport: 1, at: noon - 5 * hour + 5 }], { now: noon });
  await log.record([{ dport: 4, src: '192.168.1.9', at: noon + hour }]);
  await log.db.write((writer) => void writer.prepare('DELETE FROM flow_hour WHERE flow_id = 2').run());
  await pruneConnections(log.db, noon - 5 * hour + 1);
  const before = queries.summary(reader, asked());
  expect(queries.keepFlowStore(reader, { least: 1 })).toEqual({ refused: null });
  expect(startAgain(log)).toMatchObject({ ...used, summary: before });
  expect(readAnew(log)).toEqual(before);
});

test('it is written when that many flows and hours have changed since, and not otherwise', async () => {
  await using log = await openNotedLog();
  const file = toFlowStoreFile(log.db.file);
  using reader = openReader(log);
  queries.keepFlowStore(reader, { least: 0 });
  expect(existsSync(file)).toBe(false);
  await log.record([{}]);
  queries.summary(reader, asked());
  const isWritten = (least: number) => {
    rmSync(file, { force: true });
    queries.keepFlowStore(reader, { least });
    return existsSync(file);
  };
  // Everything was read: it is written whatever changed.
  expect([isWritten(1_000_000), isWritten(1)]).toEqual([true, false]);
  await log.record([{ dport: 1 }, { dport: 2 }]);
  queries.summary(reader, asked());
  await log.record([{ dport: 3 }]);
  queries.summary(reader, asked());
  expect([isWritten(4), isWritten(3), isWritten(1)]).toEqual([false, true, false]);
});

test('a file of an older state of the log is used; one of a later state, or of another copy, is not', async () => {
  await using log = await openNotedLog();
  await log.record([{ dport: 1 }]);
  const folder = path.dirname(log.db.file);
  const yesterday = path.join(folder, 'yesterday.db');
  await log.db.compact();
  copyFileSync(log.db.file, yesterday);
  startAgain(log);
  const file = toFlowStoreFile(log.db.file);
  const early = readFileSync(file);
  await log.record([{ dport: 2 }]);
  await log.record([{ dport: 3 }]);
  startAgain(log);
  const late = readFileSync(file);
  writeFileSync(file, early);
  expect(startAgain(log)).toMatchObject({ ...used, summary: { total: 3 } });

  // The copy of yesterday is put back, and comes as far in a run of its own, with other flows.
  const copy = { db: new Db(yesterday) };
  await copy.db.write(noteRun);
  const change = "INSERT INTO flow_change (flows, hour, total) VALUES (x'01000000', NULL, 9)";
  for (const content of [late, early]) {
    writeFileSync(toFlowStoreFile(yesterday), content);
    for (const _ of [1, 2, 3]) {
      expect(startAgain(copy)).toMatchObject({ hasReadAll: content === late, refused: null, summary: { total: 1 } });
      writeFileSync(toFlowStoreFile(yesterday), content);
      await copy.db.write((writer) => void writer.prepare(change).run());
    }
  }
  await copy.db.close();
});

test('a position is known in its run alone: from where it began to where the next one did', async () => {
  await using log = await openNotedLog();
  const change = () =>
    log.db.write((writer) => void writer.prepare("INSERT INTO flow_change (flows, total) VALUES (x'', 0)").run());
  await change();
  await change();
  await log.db.write(noteRun);
  await change();
  using reader = openReader(log);
  const [first, second] = [findRunAt(reader, 1) ?? '', findRunAt(reader, 2) ?? ''];
  const positions = (run: string) => [0, 1, 2, 3, 4].filter((position) => hasReached(reader, run, position));
  expect([positions(first), positions(second), positions('another')]).toEqual([[0, 1, 2], [2, 3], []]);
  // The newest sixteen runs are known.
  for (let run = 0; run < 15; run += 1) {
    expect([run, positions(first)]).toEqual([run, [0, 1, 2]]);
    await log.db.write(noteRun);
  }
  expect(positions(first)).toEqual([]);
  await log.db.write((writer) => void writer.prepare('DELETE FROM flow_change_run').run());
  expect(findRunAt(reader, 2)).toBeNull();
  expect(startAgain(log).refused).toBeNull();
  expect(existsSync(toFlowStoreFile(log.db.file))).toBe(false);
});

test('the file is what is counted; of another version, schema or content it is refused, and everything is read', async () => {
  await using log = await openNotedLog();
  await log.record([{ dport: 1 }, { dport: 2 }]);
  startAgain(log);
  const file = toFlowStoreFile(log.db.file);
  const whole = readFileSync(file);
  const isAny = (about: unknown): about is object => about !== null;
  const rewrite = (about: object, changed: object = {}) => {
    writeFileSync(file, whole);
    const read = readArrayFile(file, isAny, () => 0);
    writeArrayFile(file, { ...read?.about, ...about }, { ...read?.arrays, ...changed });
    return startAgain(log);
  };
  expect(rewrite({}, { hourObservations: Uint8Array.of(1, 1) }).refused).toBeNull();
  expect(rewrite({}, { lastSeconds: Uint32Array.of(0, noon / 1000) })).toMatchObject({
    ...used,
    summary: { total: 1 },
  });
  for (const about of [{ version: 0 }, { schema: 32 }, { run: 'f'.repeat(32) }]) {
    expect(rewrite(about)).toMatchObject({ hasReadAll: true, refused: null, summary: { total: 2 } });
  }
  writeFileSync(file, whole.subarray(0, -1));
  expect(startAgain(log)).toMatchObject({ hasReadAll: true, refused: 'it is not as long as it says' });
  // Everything was written again.
  expect(startAgain(log)).toMatchObject({ ...used, summary: { total: 2 } });
  // An erasure names no flows.
  await log.db.write((writer) => {
    writer.prepare('DELETE FROM flow WHERE dport = 1').run();
    writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
  });
  expect(startAgain(log)).toMatchObject({ hasReadAll: true, refused: null, summary: { total: 1 } });
});

test('whoever changes the arrays of the file raises its version, so that no start trips over the file of before', async () => {
  await using log = await openNotedLog();
  await log.record([{}]);
  startAgain(log);
  const isAny = (about: unknown): about is object => about !== null;
  const read = readArrayFile(toFlowStoreFile(log.db.file), isAny, () => 0);
  const columns = ['source', 'observers', 'app', 'ttl', 'firstSeconds', 'firstMs', 'lastSeconds', 'lastMs'];
  const others = ['ids', 'destinationIds', 'starts', 'deltaDestination', 'threatRows', 'threatIds'];
  const hours = ['hourStarts', 'hourEntries', 'hourObservations', 'overflowEntries', 'overflowTimes', 'lateRows'];
  expect(read?.about).toMatchObject({ version: 2 });
  expect(Object.keys(read?.arrays ?? {})).toEqual([...columns, ...others, ...hours]);
});

test('a file that cannot be read as one is no reason not to answer', async () => {
  await using log = await openNotedLog();
  await log.record([{}]);
  mkdirSync(toFlowStoreFile(log.db.file));
  using reader = openReader(log);
  expect(queries.summary(reader, asked()).total).toBe(1);
  expect(() => queries.keepFlowStore(reader, { least: 1 })).toThrow(/EISDIR|ENOTEMPTY|ENOTDIR/);
});
