// A hub whose event loop stands still ends, so that the service manager starts it again; one that was stopped goes on.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const stallMs = 5000;
const start = (dataDir: string) =>
  startHubProcess({
    dataDir,
    adminToken: randomBytes(24).toString('hex'),
    nodeOptions: ['--import', path.join(root, 'test/support/freeze.ts')],
    env: { MONITOR_WATCHDOG_STALL_MS: String(stallMs) },
  });

test('an event loop that stands still is ended, and says so', async () => {
  using folder = temporaryFolder();
  await using hub = await start(folder.path);
  hub.program.kill('SIGUSR2');
  expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(hub.program.stderr()).toContain(
    'gatehouse hub: the event loop has stood still for 5 seconds (MONITOR_WATCHDOG_STALL_MS): this process ends, and its service manager should start it again\n',
  );
  // What it had is whole, and nothing keeps the next one out.
  await using next = await start(folder.path);
  expect((await fetch(new URL('/readyz', next.url))).status).toBe(200);
});

test('a hub whose whole process was stopped for longer goes on', async () => {
  using folder = temporaryFolder();
  await using hub = await start(folder.path);
  hub.program.kill('SIGSTOP');
  await systemClock.sleep(stallMs + 2000);
  hub.program.kill('SIGCONT');
  await systemClock.sleep(2000);
  expect((await fetch(new URL('/healthz', hub.url))).status).toBe(200);
  hub.program.kill('SIGTERM');
  expect(await hub.program.ended).toEqual({ code: 0, signal: null });
});

test.each(['0', '4999', 'off', '3600001'])('MONITOR_WATCHDOG_STALL_MS=%s stops the start', async (value) => {
  using folder = temporaryFolder();
  const { code, stderr } = await runProgram(['src/main.ts', 'hub', '--port', '0', '--data', folder.path], {
    env: { MONITOR_WATCHDOG_STALL_MS: value },
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `gatehouse hub: MONITOR_WATCHDOG_STALL_MS: must be a whole number from 5000 to 3600000, not ${JSON.stringify(value)}\n`,
  });
});
