// The first start is killed without warning at random moments, with room on the disk and without: the next start works,
// its first credentials open it, and what was acknowledged is there. KILLS=200 makes that many kills of each kind.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { childEnv } from '#kernel/process/env.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { type Actors, createActors } from '../support/actors.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { type Program, startProgram } from '../support/program.ts';
import { createRandom } from '../support/random.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const kills = Number(childEnv().KILLS ?? 4);
const seed = 20_261_122;
const diskKb = 8192;

function startHub(dataDir: string): Program {
  // Nobody listens there: threat feeds are not fetched from their publishers.
  const env = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/', LOG_LEVEL: 'error' };
  return startProgram(['src/main.ts', 'hub', '--port', '0', '--data', dataDir], { env });
}

async function admin(hub: Program, dataDir: string): Promise<Actors['admin']> {
  const [, origin = ''] = await hub.printed(/^gatehouse hub ready (\S+)$/m);
  const token = readFileSync(path.join(dataDir, 'initial-admin-token'), 'utf8').trim();
  return createActors(api, new URL(origin), token).admin;
}

/** Saves notes one after another until the hub is gone; resolves to those that were acknowledged. */
async function saveNotes(hub: Program, dataDir: string): Promise<string[]> {
  const saved: string[] = [];
  try {
    const as = await admin(hub, dataDir);
    for (let index = 1; index < 250; index += 1) {
      const ip = `192.168.100.${index}`;
      await as.notes.write({ body: { ip, note: `note of ${ip}` } });
      saved.push(ip);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
  return saved;
}

async function killOnce(dataDir: string, lifeMs: number): Promise<{ ready: boolean; saved: string[]; said: string }> {
  await using hub = startHub(dataDir);
  const saving = saveNotes(hub, dataDir);
  await Promise.race([systemClock.sleep(lifeMs), hub.ended]);
  hub.kill('SIGKILL');
  await hub.ended;
  return { ready: hub.stdout().includes('gatehouse hub ready'), saved: await saving, said: hub.stderr() };
}

/** Starts as if nothing had happened; its first token opens it. */
async function expectWhole(dataDir: string, saved: readonly string[]): Promise<void> {
  await using hub = startHub(dataDir);
  const as = await admin(hub, dataDir);
  const { notes } = await as.notes.list({});
  expect(Object.keys(notes)).toEqual(expect.arrayContaining([...saved]));
  hub.kill('SIGTERM');
  expect(await hub.ended).toEqual({ code: 0, signal: null });
}

/** Longest life in milliseconds: from before the first file to some writes after `ready`, on this machine now. */
async function longestLifeMs(): Promise<number> {
  using folder = temporaryFolder();
  const sinceStart = stopwatch();
  await expectWhole(folder.path, []);
  return 1.5 * sinceStart();
}

const timeoutMs = 60_000 + kills * 30_000;

test(`a first start that is killed at ${kills} random moments`, { timeout: timeoutMs }, async () => {
  const random = createRandom(seed);
  const longestMs = await longestLifeMs();
  const lives: string[] = [];
  for (let round = 0; round < kills; round += 1) {
    using folder = temporaryFolder();
    const lifeMs = Math.floor(random() * longestMs);
    const { ready, saved } = await killOnce(folder.path, lifeMs);
    lives.push(`${lifeMs} ms, ${ready ? `ready, ${saved.length} saved` : 'not ready'}`);
    await expectWhole(folder.path, saved);
  }
  console.log(`seed ${seed}: ${lives.join('; ')}`);
});

withSmallDisk(() => {
  test(`with little room or none, killed at ${kills} random moments`, { timeout: timeoutMs }, async () => {
    const random = createRandom(seed + 1);
    const longestMs = await longestLifeMs();
    const lives: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      using disk = smallDisk(diskKb);
      const roomKb = Math.floor(random() ** 2 * 6144);
      disk.fill(roomKb);
      const lifeMs = Math.floor(random() * longestMs);
      const { ready, saved, said } = await killOnce(disk.path, lifeMs);
      lives.push(`${roomKb} KB, ${lifeMs} ms, ${ready ? `ready, ${saved.length} saved` : `not ready ${said.trim()}`}`);
      // It ended by itself with a sentence, or was killed before it had to.
      expect(said).toMatch(/^$|disk is full|no space left/);
      disk.empty();
      await expectWhole(disk.path, saved);
    }
    console.log(`seed ${seed + 1}: ${lives.join('; ')}`);
  });
});
