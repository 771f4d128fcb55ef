// Uploads that are large: refused without being held in memory, or before they are read at all.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { memoryMb, startHubProcess } from '../support/hub-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-backup-upload-test';
const megabyte = 1_048_576;

async function startScene() {
  const folder = temporaryFolder();
  const hub = await startHubProcess({ dataDir: folder.path, adminToken, command: 'bin/gatehouse.js' });
  return {
    hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test('95 MB of rubbish are refused, and memory grows by less than 20 MB', async () => {
  await using scene = await startScene();
  const { hub } = scene;
  const chunk = randomBytes(megabyte);
  const send = (count: number) =>
    request(new URL('/api/backup/upload', hub.url), {
      method: 'POST',
      headers: { 'x-admin-token': adminToken, 'content-type': 'application/octet-stream' },
      body: Readable.from(Array.from({ length: count }, () => chunk)),
    });
  // The code of the route is loaded, and the heap has its size.
  expect((await send(16)).statusCode).toBe(400);
  // Sets the peak to what is resident now (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${hub.program.pid}/clear_refs`, '5');
  const before = memoryMb(hub.program.pid).rss;
  const { statusCode, body } = await send(95);
  expect([statusCode, await body.json()]).toMatchObject([
    400,
    { code: 'upload_rejected', error: expect.stringMatching(/not an SQLite database; nothing was changed/) },
  ]);
  const { peak } = memoryMb(hub.program.pid);
  console.log(`an upload of 95 MB: ${before.toFixed(0)} MB resident before, ${peak.toFixed(0)} at most`);
  expect(peak - before).toBeLessThan(20);
});

test('one byte more than 100 MB is refused before it is read, and so is a body that has no credential', async () => {
  await using scene = await startScene();
  const { hub } = scene;
  const answerTo = async (lines: readonly string[]) => {
    const socket = connect(Number(hub.url.port), hub.url.hostname);
    const head = ['POST /api/backup/upload HTTP/1.1', `Host: ${hub.url.host}`, ...lines, '', ''];
    socket.write(head.join('\r\n'));
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return first.toString('utf8').split('\r\n')[0];
  };
  const token = `X-Admin-Token: ${adminToken}`;
  expect(await answerTo([token, 'Content-Length: 104857601'])).toBe('HTTP/1.1 413 Payload Too Large');
  expect(await answerTo(['Content-Length: 104857600'])).toBe('HTTP/1.1 401 Unauthorized');
  expect((await hub.as.raw({ method: 'GET', path: '/readyz' })).status).toBe(200);
});
