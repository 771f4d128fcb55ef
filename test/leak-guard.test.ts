// What a lab leaves behind is named, one kind after the other; what it puts away is not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';
import { startLab } from './support/lab.ts';
import { leakMessage, watchLeaks } from './support/leak-guard.ts';
import { ManualClock } from './support/manual-clock.ts';
import { startMcpLab } from './support/mcp-lab.ts';
import { placesIn } from './support/open-resources.ts';
import { root, runProgram } from './support/program.ts';
import { openSession } from './support/router-session.ts';

/** What the end of a watch says when `plant` has left something; `putAway` ends it afterwards. */
async function saidAbout(plant: (clock: ManualClock) => Promise<() => unknown> | (() => unknown)): Promise<string> {
  const clock = new ManualClock();
  const watch = watchLeaks({ clock, closingMs: 300 });
  const putAway = await plant(clock);
  try {
    return await watch[Symbol.asyncDispose]().then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  } finally {
    await putAway();
  }
}

const by = 'opened by test/leak-guard.test.ts:';

test('a server and both ends of a connection', async () => {
  const server: Server = createServer((socket) => sockets.push(socket));
  const sockets: Socket[] = [];
  const said = await saidAbout(async () => {
    const address = await listen(server);
    sockets.push(connect(Number(address.split(':')[1])));
    await Promise.all([once(server, 'connection'), once(sockets[0] as Socket, 'connect')]);
    return () => close(server, sockets);
  });
  const port = /- server 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  expect(said).toContain(`socket 127.0.0.1:${port} to 127.0.0.1:`);
  expect(said).toMatch(new RegExp(`socket 127\\.0\\.0\\.1:\\d+ to 127\\.0\\.0\\.1:${port}, ${by}`));
});

test('a worker thread', async () => {
  const said = await saidAbout(async () => {
    const thread = new Worker('setTimeout(() => {}, 600_000)', { eval: true });
    await once(thread, 'online');
    return () => thread.terminate();
  });
  expect(said).toMatch(new RegExp(`^- worker thread \\d+, ${by}\\d+$`, 'm'));
});

test('a timer that keeps the process alive, with its length', async () => {
  const aborted = new AbortController();
  const said = await saidAbout(() => {
    const sleep = systemClock.sleep(54_321, aborted.signal).catch(() => undefined);
    return () => {
      aborted.abort();
      return sleep;
    };
  });
  expect(said).toMatch(/^- timer of 54321 ms, opened by src\/kernel\/time\/clock.ts:\d+ from test\/leak-guard/m);
});

test('a sleeper of the manual clock, though another lab is still up', async () => {
  await using _other = watchLeaks();
  const said = await saidAbout((clock) => {
    void clock.sleep(54_321);
    return () => undefined;
  });
  expect(said).toMatch(
    /^- sleeper of 54321 ms on the manual clock, opened by simulators\/support\/sleepers.ts:\d+ from .* from test\/leak-guard/m,
  );
});

test('a sleeper that ends a little after the lab is no leak', async () => {
  const ended = new AbortController();
  const aLittleLater = async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      await yieldToEventLoop();
    }
    ended.abort();
  };
  const said = await saidAbout((clock) => {
    const sleep = clock.sleep(54_321, ended.signal).catch(() => undefined);
    const later = aLittleLater();
    return () => Promise.all([sleep, later]);
  });
  expect(said).toBe('nothing');
});

test('a child process', async () => {
  const said = await saidAbout(async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    return () => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    };
  });
  expect(said).toMatch(new RegExp(`^- child process \\d+, ${by}\\d+$`, 'm'));
});

test('a temporary folder, and a database open in it, removed or not', async () => {
  const found: string[] = [];
  const said = await saidAbout(async () => {
    const kept = mkdtempSync(path.join(tmpdir(), 'kept-'));
    const removed = mkdtempSync(path.join(tmpdir(), 'removed-'));
    writeFileSync(path.join(kept, 'some.txt'), '');
    const db = new Db(path.join(removed, 'some.db'));
    await db.write((writer) => void writer.prepare('CREATE TABLE t(n)').run());
    rmSync(removed, { recursive: true });
    found.push(kept, removed);
    return () => db.close();
  });
  expect(said).toContain(`- file ${found[0]}\n`);
  expect(said).toContain(`- open file ${found[1]}/some.db (deleted)`);
});

test('a lab fails by it: of its hub, its routers, its endpoint', async () => {
  const lab = await startMcpLab();
  void lab.lab.clock.sleep(77_777);
  await expect(lab[Symbol.asyncDispose]()).rejects.toThrow(/sleeper of 77777 ms/);
});

test('nothing is said of what was put away', async () => {
  await using lab = await startLab({ routers: { home: 'vendor_a' } });
  await using session = await openSession(lab.routers.home);
  await session.run('show environment');
  expect(lab.routers.home.settings).toBeDefined();
});

test('places are those of the repository, nearest first', () => {
  const stack = [
    'Error: opened',
    `    at init (${root}/test/support/open-resources.ts:60:7)`,
    '    at emitInitNative (node:internal/async_hooks:203:43)',
    `    at connect (${root}/node_modules/undici/lib/core/connect.js:1:1)`,
    `    at ask (${root}/src/hub/ask.ts:12:3)`,
    `    at async file://${root}/test/rest/x.test.ts:9:5`,
  ].join('\n');
  expect(placesIn(stack)).toEqual(['src/hub/ask.ts:12', 'test/rest/x.test.ts:9']);
  expect(leakMessage([{ name: 'timer of 5 ms', openedBy: placesIn(stack) }])).toContain(
    '- timer of 5 ms, opened by src/hub/ask.ts:12 from test/rest/x.test.ts:9',
  );
});

test('the standard streams of the process, which a thread may be the first to use, are no leak', async () => {
  const script = `
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    import { watchLeaks } from './test/support/leak-guard.ts';
    const watch = watchLeaks({ closingMs: 0 });
    await once(new Worker('', { eval: true }), 'exit');
    await watch[Symbol.asyncDispose]();`;
  const ended = await runProgram(['--input-type=module', '--eval', script]);
  expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
});
