// Threads that answer reads and cannot start: readiness and the log name them, and it ends with the cause.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Ends every thread whose queries are those of `module`, as long as there is `file`: a system that gives no thread. */
const preload = (module: string, file: string) => `
  import { existsSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  if (String(workerData?.module).endsWith(${JSON.stringify(module)}) && existsSync(${JSON.stringify(file)})) {
    throw new Error('no thread for the test');
  }`;

test.each([
  ['lists', '/start/queries.ts', '/api/connections'],
  ['summaries', '/summary/queries.ts', '/api/connections/summary'],
])('a hub whose reader for %s cannot start is not ready, until it can', async (_kind, module, url) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'no-threads');
  writeFileSync(file, '');
  const adminToken = 'token-of-the-readers-test';
  const preloaded = `data:text/javascript,${encodeURIComponent(preload(module, file))}`;
  await using hub = await startHubProcess({
    dataDir: path.join(folder.path, 'data'),
    adminToken,
    nodeOptions: ['--import', preloaded],
  });
  const get = (path: string) => hub.as.raw({ method: 'GET', path });
  expect(await get('/readyz')).toMatchObject({ status: 503, text: '{"status":"not_ready","reason":"reads_fail"}' });
  expect((await get('/healthz')).status).toBe(200);
  expect((await get(url)).status).toBe(500);
  const [line] = hub.program
    .stderr()
    .split('\n')
    .filter((text) => text.includes('reader thread cannot start'));
  expect(line).toMatch(/no thread for the test/);
  expect(line).toMatch(/memory.*threads.*open files/);
  expect((await hub.as.admin.status.status({})).warnings).toContainEqual(expect.stringMatching(/cannot be read/));
  rmSync(file);
  expect((await get(url)).status).toBe(200);
  await eventually(
    () => get('/readyz'),
    ({ status }) => status === 200 || undefined,
  );
  expect((await hub.as.admin.status.status({})).warnings).not.toContainEqual(expect.stringMatching(/cannot be read/));
});
