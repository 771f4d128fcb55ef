// A bit of the database is flipped while the hub is stopped: the next start serves its rows as SQLite reads them, or the newest
// generation with the database set aside; it is never refused, and damage that SQLite can find is told.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contentOf, copyWorld, isReady, openFolder, totalOf } from '../support/backup-faults.ts';
import { faultScene } from '../support/fault-scene.ts';
import { flipped, flippedSomewhere } from '../support/flipped.ts';
import { budget, runs } from '../support/property-runs.ts';
import { createRandom } from '../support/random.ts';

const state = faultScene('of flipped databases');

/** What SQLite reads of the bytes; `unreadable` when it finds them damaged. */
function contentOfBytes(bytes: Buffer): string {
  const file = path.join(state.folder, 'read.db');
  writeFileSync(file, bytes);
  return contentOrNot(file);
}

function contentOrNot(file: string): string {
  // A copy: a reader next to the hub would leave files of its own.
  const copy = path.join(state.folder, 'copy.db');
  for (const end of ['', '-wal']) {
    rmSync(copy + end, { force: true });
    if (readdirSync(path.dirname(file)).includes(path.basename(file) + end)) {
      copyFileSync(file + end, copy + end);
    }
  }
  try {
    return contentOf(copy);
  } catch (error) {
    expect(String(error)).toMatch(/malformed|constraint failed/);
    return 'unreadable';
  }
}

type Outcome = 'its rows' | 'its rows, with that flip' | 'damage is told' | 'corrected' | 'the generation';

/** Starts a hub on the bytes and judges it. Throws an Error with what is neither. */
async function judge(bytes: Buffer): Promise<Outcome> {
  const { world } = state;
  const dataDir = copyWorld(world, path.join(state.folder, 'data'));
  const file = path.join(dataDir, 'monitor.db');
  writeFileSync(file, bytes);
  await using hub = await openFolder(world, dataDir);
  expect(await isReady(hub)).toBe(true);
  const aside = readdirSync(dataDir).find((name) => /\.damaged-[\dTZ-]+$/.test(name));
  const content = contentOrNot(file);
  const notes = readFileSync(path.join(dataDir, '.monitor.notes.json'), 'utf8');
  const warnings = async () => (await hub.as.admin.status.status({})).warnings.join('\n');
  if (aside !== undefined) {
    // A start that came as far as writing may have changed other pages.
    const place = damagedPage(bytes);
    expect(pageOf(readFileSync(path.join(dataDir, aside)), place).equals(pageOf(bytes, place))).toBe(true);
    expect(await warnings()).toContain(aside);
    const side = content === world.new ? 'new' : 'old';
    expect([content, await totalOf(hub)]).toEqual([side === 'new' ? world.new : old(), world.totals[side]]);
    expect(notes).toContain(`"${side}"`);
    return side === 'new' ? 'the generation' : 'corrected';
  }
  expect(notes).toContain('"old"');
  const read = contentOfBytes(bytes);
  expect(content).toBe(read);
  const total = await totalOf(hub).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'database_damaged' });
    return 'unreadable';
  });
  if (content === 'unreadable' || total === 'unreadable') {
    // Soon after the start all tables are looked through.
    await hub.lab.clock.advance(91_000);
    const ready = () => hub.as.raw({ method: 'GET', path: '/readyz' });
    await expect
      .poll(async () => JSON.stringify((await ready()).body), { timeout: 5000 })
      .toMatch(/database_damaged|reads_fail/);
    return 'damage is told';
  }
  expect(total).toBe(world.totals.old);
  return content === old() ? 'its rows' : 'its rows, with that flip';
}

const pageOf = (bytes: Buffer, page: number) => bytes.subarray(page * 4096, (page + 1) * 4096);

/** The first page that is not what it was, from 0. */
function damagedPage(bytes: Buffer): number {
  for (let page = 0; page * 4096 < bytes.length; page += 1) {
    if (!pageOf(bytes, page).equals(pageOf(state.whole, page))) {
      return page;
    }
  }
  throw new Error('nothing is damaged');
}

const old = () => contentOfBytes(state.whole);

async function judgeAll(what: string, cases: readonly (readonly [place: string, bytes: Buffer])[]) {
  const outcomes: Partial<Record<Outcome, number>> = {};
  for (const [place, bytes] of cases) {
    const outcome = await judge(bytes).catch((cause: unknown) => {
      throw new Error(`${what}, ${place}: ${String(cause)}`, { cause });
    });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    state.count(what);
  }
  return outcomes;
}

test(budget(40, 200, 'flips anywhere'), async () => {
  const random = createRandom(3);
  const cases = Array.from(
    { length: runs(40, 200) },
    (_, at) => [`flip ${at}`, flippedSomewhere(state.whole, random)] as const,
  );
  const outcomes = await judgeAll('anywhere', cases);
  expect(outcomes['its rows']).toBeGreaterThan(runs(10, 50));
});

/** Each bit of what names the file and its formats; of the other bytes of the header one (https://sqlite.org/fileformat.html, 1.3). */
const named = new Set([16, 17, 18, 19, 47, 59, 60, 61, 62, 63, 68, 69, 70, 71]);

test(`${budget(2, 8, 'bits of each byte of the header that names something')}, flipped`, async () => {
  const random = createRandom(4);
  const ofNamed = [0, 1, 2, 3, 4, 5, 6, 7].slice(0, runs(2, 8));
  const ofOthers = (at: number) => (at % runs(4, 1) === 0 ? [Math.floor(random() * 8)] : []);
  const bits = (at: number) => (named.has(at) ? ofNamed : ofOthers(at));
  const cases = Array.from({ length: 100 }, (_, at) => at).flatMap((at) =>
    bits(at).map((bit) => [`byte ${at} bit ${bit}`, flipped(state.whole, at, bit)] as const),
  );
  const outcomes = await judgeAll('header', cases);
  // Version of the schema and application id.
  expect(outcomes.corrected).toBe(8 * ofNamed.length);
});

test(runs(4, 1) === 1 ? 'each page overwritten' : 'each fourth page overwritten', async () => {
  const lost = Buffer.alloc(4096, 0xff);
  const cases: [string, Buffer][] = [];
  for (let page = 2; page <= state.whole.length / lost.length; page += runs(4, 1)) {
    const bytes = Buffer.from(state.whole);
    lost.copy(bytes, (page - 1) * lost.length);
    cases.push([`page ${page}`, bytes]);
  }
  await judgeAll('pages', cases);
});
