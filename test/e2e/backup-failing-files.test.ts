// The disk fails at every call that a restore, an upload, or the recovery at a start makes by itself: once, a few times, or
// for good; `npm run test:e2e` tries one call of three. The answer says which data is served, and a hub that starts afterwards has that, whole.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  contentOf,
  copyWorld,
  flowsOf,
  isReady,
  type OpenWorld,
  openFolder,
  restore,
  type Side,
  served,
  totalOf,
  upload,
} from '../support/backup-faults.ts';
import { failFiles } from '../support/failing-files.ts';
import { faultScene } from '../support/fault-scene.ts';
import { runs } from '../support/property-runs.ts';

const state = faultScene('of a failing disk');

const forGood = Number.POSITIVE_INFINITY;

interface Outcome {
  /** The call that failed first; undefined: none did. */
  call: string | undefined;
  status: number;
  text: string;
  /** Whether the hub went on at once; else it did when the disk was well again. */
  isServing: boolean;
  /** What it lists then. */
  total: number;
}

interface Extras {
  /** How many calls fail. */
  counts?: readonly number[];
  /** Done before the hub starts. */
  before?: (dataDir: string) => void;
  /** What the two sides are told apart by. */
  read?: (file: string) => string;
}

/** Does `work` with a hub on a copy of the world and the disk failing at one call after the other. */
async function throughAll(
  what: string,
  work: (hub: OpenWorld) => ReturnType<typeof restore>,
  judge: (outcome: Outcome, side: Side) => void,
  { counts = [1, 2, 3, forGood], before = () => undefined, read = contentOf }: Extras = {},
): Promise<void> {
  const dataDir = path.join(state.folder, 'data');
  for (const count of counts) {
    for (let at = 1, isOver = false; !isOver; at += runs(3, 1)) {
      before(copyWorld(state.world, dataDir));
      let outcome: Outcome;
      {
        await using hub = await openFolder(state.world, dataDir);
        using failing = failFiles(dataDir, {
          at,
          count,
          error: Math.ceil(at / runs(3, 1)) % 2 === 0 ? 'EIO' : 'ENOSPC',
        });
        const { status, body } = await work(hub);
        const call = failing.calls[at - 1];
        failing[Symbol.dispose]();
        const isServing = await isReady(hub);
        if (!isServing) {
          await hub.lab.clock.advance(10_000);
          await expect.poll(() => isReady(hub), { timeout: 5000 }).toBe(true);
        }
        outcome = { call, status, text: JSON.stringify(body), isServing, total: await totalOf(hub) };
      }
      const place = `${what}, ${count} from call ${at} (${outcome.call})`;
      const { side } = await served(state.world, dataDir, read).catch((cause: unknown) => {
        throw new Error(`${place}: ${String(cause)}; it had said ${outcome.status} ${outcome.text}`, { cause });
      });
      expect({ place, ...outcome, side }).toSatisfy(() => {
        judge(outcome, side);
        return true;
      });
      state.count(what);
      isOver = outcome.call === undefined;
    }
  }
}

/** An answer names the side that is served; a hub that cannot go on says so, and goes on when the disk is well again. */
function judgeAnswer({ status, text, isServing, total }: Outcome, side: Side): void {
  expect(total).toBe(state.world.totals[side]);
  if (status === 200) {
    expect(side).toBe('new');
    return;
  }
  expect([status, text]).toEqual([500, expect.stringMatching(/restore_failed|backup_failed|save_failed|disk_full/)]);
  if (!isServing) {
    expect(text).toMatch(/cannot go on .*tries again every 10 seconds/);
  } else if (text.includes('is the restored one')) {
    expect(side).toBe('new');
  } else {
    expect(side).toBe('old');
    expect(text).toMatch(/is what it was|from before is back|nothing was (?:changed|stored)/);
  }
}

test('a restore says which data is served, and it is', async () => {
  await throughAll('restore', (hub) => restore(hub, state.world.name), judgeAnswer);
});

test('an upload as well', async () => {
  await throughAll('upload', (hub) => upload(hub, state.good), judgeAnswer, { counts: [1, forGood] });
});

test('a restore over a damaged database sets that aside, or leaves it', async () => {
  const dataDir = path.join(state.folder, 'data');
  await throughAll(
    'restore over damage',
    (hub) => restore(hub, state.world.name),
    (outcome, side) => {
      judgeAnswer(outcome, side);
      const aside = readdirSync(dataDir).filter((name) => name.includes('.damaged-'));
      expect(aside).toHaveLength(side === 'new' ? 1 : 0);
      const database = path.join(dataDir, aside[0] ?? 'monitor.db');
      expect(readFileSync(database).includes(lostPage)).toBe(true);
    },
    { counts: [1, 2, forGood], before: damageUnseen, read: flowsOf },
  );
});

const lostPage = Buffer.alloc(4096, 0xff);

/** Overwrites a page that only a copy of the whole database reads. */
function damageUnseen(dataDir: string): void {
  const file = path.join(dataDir, 'monitor.db');
  const db = new Database(file, { readonly: true });
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'session_start'").pluck().get());
  db.close();
  const bytes = readFileSync(file);
  lostPage.copy(bytes, (root - 1) * lostPage.length);
  writeFileSync(file, bytes);
}
