// The hub cannot write for a while: a lock held by another program, a limit of the size of files, a full disk, a stopped
// process. Afterwards everything works without a restart, and nothing was half done.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { createBrowser, raw } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { recordOf } from '../support/lab.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-refused-writes-test';
const password = 'password of the refused writes test';
const lockSeconds = 15;
const stoppedMs = 10_000;

interface Scene extends AsyncDisposable {
  dataDir: string;
  hub: HubProcess;
  router: RouterSimulator;
}

/** A hub that has polled one router. */
async function startScene(dataDir: string): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const router = stack.use(await startRouter('vendor_a', { sessions: 20, seed: 1 }));
  const hub = stack.use(await startHub(dataDir));
  await hub.as.admin.routers.create({ body: recordOf(router, 'the router') });
  await eventually(
    () => hub.as.admin.routers.list({}),
    ({ routers }) => routers.every(({ state }) => state === 'ready') || undefined,
  );
  const kept = stack.move();
  return { dataDir, hub, router, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function startHub(dataDir: string): Promise<HubProcess> {
  return startHubProcess({ dataDir, adminToken, env: { MONITOR_INITIAL_PASSWORD: password } });
}

const login = ({ hub }: Scene, text = password) => createBrowser(hub.url).login(text);
const healthy = async ({ hub }: Scene) => (await raw(hub.url, { method: 'GET', path: '/healthz' })).status;
const save = ({ hub }: Scene, homeCountry: string) => hub.as.admin.config.saveGeneral({ body: { homeCountry } });
const loginsOf = async ({ hub }: Scene) => {
  const { events } = await hub.as.admin.auth.auditEvents({ query: { limit: '500' } });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
  return events.filter(({ eventType }) => eventType === 'login').map(({ outcome }) => outcome);
};

/** The write lock of the hub's database, held by the shell of SQLite until `release`. */
async function holdLock(dataDir: string) {
  const end = path.join(dataDir, 'end-of-the-lock');
  const wait = `.shell echo locked; while [ ! -e '${end}' ] && kill -0 $PPID; do sleep 0.1; done`;
  const steps = ['.timeout 60000', 'BEGIN IMMEDIATE;', wait, 'ROLLBACK;'];
  const shell = startProgram([path.join(dataDir, 'monitor.db'), ...steps], { command: 'sqlite3' });
  await shell.printed(/^locked$/m);
  return {
    async release() {
      writeFileSync(end, '');
      expect(await shell.ended).toEqual({ code: 0, signal: null });
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}

let round = 0;

/** Login, settings, a note, a poll and the files, as on any other day; then a clean stop. */
async function expectAllWorks(scene: Scene): Promise<void> {
  const { hub, router, dataDir } = scene;
  round += 1;
  const browser = createBrowser(hub.url);
  expect((await browser.login(password)).status).toBe(200);
  expect((await login(scene, 'wrong')).status).toBe(401);
  expect((await browser.post('/api/auth/logout')).status).toBe(200);
  const homeCountry = ['CH', 'DE', 'FR', 'IT'][round % 4] ?? 'JP';
  await save(scene, homeCountry);
  const ip = `192.168.100.${200 + round}`;
  await hub.as.admin.notes.write({ body: { ip, note: `round ${round}` } });
  const dst = `203.0.113.${100 + round}`;
  router.flow({ src: '192.168.100.10', dst, dport: 443 });
  const { routers } = await eventually(
    async () => {
      const { connections } = await hub.as.admin.connections.list({ query: { limit: '1000' } });
      return { ...(await hub.as.admin.routers.list({})), seen: connections.some((row) => row.dst === dst) };
    },
    (seen) => (seen.seen && seen.routers.every(({ state }) => state === 'ready') ? seen : undefined),
    180_000,
  );
  const stored = JSON.parse(readFileSync(path.join(dataDir, 'monitor.json'), 'utf8')) as {
    general: unknown;
    routers: { id: string; displayName: string }[];
  };
  expect(stored.general).toEqual(await hub.as.admin.config.general({}));
  expect(stored.general).toMatchObject({ homeCountry });
  expect(stored.routers.map(({ id, displayName }) => [id, displayName])).toEqual(
    routers.map(({ id, displayName }) => [id, displayName]),
  );
  const notes = JSON.parse(readFileSync(path.join(dataDir, '.monitor.notes.json'), 'utf8')) as Record<string, string>;
  expect(Object.values(notes)).toContain(`round ${round}`);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await expectCleanStop(scene);
}

async function expectCleanStop({ hub }: Scene): Promise<void> {
  const elapsed = stopwatch();
  hub.program.kill('SIGTERM');
  expect(await hub.program.ended, hub.program.stderr()).toEqual({ code: 0, signal: null });
  console.log(`stopped within ${Math.round(elapsed())} ms`);
}

/** What every refused write has in common: logins and settings say so, and the hub goes on answering. */
async function expectRefused(scene: Scene): Promise<void> {
  const before = await scene.hub.as.admin.config.general({});
  expect(await login(scene)).toMatchObject({ status: 500, body: { code: 'save_failed' } });
  expect((await login(scene, 'wrong')).status).toBe(401);
  await expect(save(scene, 'AT')).rejects.toMatchObject({ status: 500, code: 'save_failed' });
  expect(await scene.hub.as.admin.config.general({})).toEqual(before);
  expect(await healthy(scene)).toBe(200);
}

withPrograms('sqlite3', ['sqlite3'], () => {
  test('a stop while the write lock is held is a clean one, and does not wait for its end', async () => {
    using folder = temporaryFolder();
    await using scene = await startScene(folder.path);
    await using lock = await holdLock(folder.path);
    expect((await login(scene, 'wrong')).status).toBe(401);
    await expectCleanStop(scene);
    await lock.release();
  });

  test(`the write lock held for ${lockSeconds} s: the hub answers, logins wait or are refused, the audit is whole`, async () => {
    using folder = temporaryFolder();
    await using scene = await startScene(folder.path);
    await using lock = await holdLock(folder.path);
    const statuses: number[] = [];
    const held = systemClock.sleep(lockSeconds * 1000).then(() => true);
    const looking = (async () => {
      do {
        statuses.push(await healthy(scene));
      } while (!(await Promise.race([held, systemClock.sleep(20)])));
    })();
    const [right, wrong] = await Promise.all([login(scene), login(scene, 'wrong')]);
    expect(right).toMatchObject({ status: 503, body: { code: 'database_busy' } });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'login_failed' } });
    await looking;
    const waiting = login(scene);
    await lock.release();
    expect((await waiting).status).toBe(200);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A loop that stood still for five seconds at a time answered three times.
    expect(statuses.length).toBeGreaterThan(30);
    expect(await loginsOf(scene)).toEqual(['success', 'failure']);
    await expectAllWorks(scene);
  });
});

withPrograms('util-linux', ['prlimit'], () => {
  test('a limit of the size of files, set while the hub runs and taken back', async () => {
    using folder = temporaryFolder();
    await using scene = await startScene(folder.path);
    const limit = (bytes: string) =>
      expect(spawnSync('prlimit', ['--pid', String(scene.hub.program.pid), `--fsize=${bytes}:unlimited`]).status).toBe(
        0,
      );
    limit('1024');
    await expectRefused(scene);
    limit('unlimited');
    await expectAllWorks(scene);
  });

  test('a start under such a limit says what could not be written, and the next start works', async () => {
    using folder = temporaryFolder();
    const start = [`--fsize=${65_536}`, process.execPath, 'src/main.ts', 'hub', '--port', '0', '--data', folder.path];
    const { code, signal, stderr } = await runProgram(start, { command: 'prlimit' });
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(stderr).toMatch(/^gatehouse hub: monitor\.db could not be written \(.+\): .+ try again$/m);
    await using scene = await startScene(folder.path);
    await expectAllWorks(scene);
  });
});

withSmallDisk(() => {
  test('refuses logins, settings and polls until there is room; a stop and a start do no harm', async () => {
    using disk = smallDisk(16_384);
    await using scene = await startScene(disk.path);
    disk.fill();
    await expectRefused(scene);
    await eventually(
      () => scene.hub.as.admin.routers.list({}),
      ({ routers }) => routers.some(({ failure }) => failure === 'save_failed') || undefined,
    );
    disk.empty();
    await expectAllWorks(scene);
    await using second = await startHub(disk.path);
    disk.fill();
    await expectRefused({ ...scene, hub: second });
    await expectCleanStop({ ...scene, hub: second });
    disk.empty();
    await using third = await startHub(disk.path);
    await expectAllWorks({ ...scene, hub: third });
  });
});

test(`stopped for ${stoppedMs / 1000} s: it goes on where it was`, async () => {
  using folder = temporaryFolder();
  await using scene = await startScene(folder.path);
  const { program } = scene.hub;
  program.kill('SIGSTOP');
  const logins = [login(scene), login(scene, 'wrong')];
  await systemClock.sleep(stoppedMs);
  program.kill('SIGCONT');
  expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([200, 401]);
  await expectAllWorks(scene);
});
