// The watch of the Agent over programs in another network namespace, which only kernel events show.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SeenConnection } from '#agent/sources/connection.ts';
import { startWatch } from '#agent/sources/watch.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { networkPair, withNetworkPair } from '../support/network-pair.ts';
import { startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { tracefs, withTracefs } from '../support/tracefs.ts';

const port = 8080;
const each = 10;

const listener = `
import net from 'node:net';
net.createServer((socket) => socket.resume().on('error', () => {})).listen(${port}, '::', () => console.log('listening'));
`;

/** Opens connections at once after a wait, prints the port of each and ends them after a moment. */
const caller = `
import net from 'node:net';
const [, , host, count, afterMs] = process.argv;
await new Promise((resolve) => setTimeout(resolve, Number(afterMs)));
console.log('calling');
await Promise.all(Array.from({ length: Number(count) }, () => new Promise((resolve) => {
  const socket = net.connect(${port}, host, () => {
    console.log('port ' + socket.localPort);
    setTimeout(() => socket.end(), 50);
  });
  socket.resume().once('close', resolve).once('error', (error) => { console.error(error); process.exitCode = 1; });
})));
`;

/**
 * Runs a program for each name, each calling `apartMs` after the one before; the ports that each used, and what was seen
 * of them. With several, the peer answers when all have called.
 */
async function called(names: readonly string[], apartMs = 0) {
  const isDelayed = names.length > 1;
  using folder = temporaryFolder();
  using tracing = tracefs();
  using pair = networkPair();
  const script = (name: string, text: string) => {
    const file = path.join(folder.path, name);
    writeFileSync(file, text);
    return [process.execPath, file];
  };
  await using server = startProgram(pair.inside('there', script('listener.mjs', listener)), { command: 'ip' });
  await server.printed(/listening/);
  await using stack = new AsyncDisposableStack();
  const log = createLog('agent', 'silent');
  const options = { clock: systemClock, log, pollMs: 500, includeLoopback: false, tracefsDir: tracing.path };
  const watch = stack.use(await startWatch(options));
  if (isDelayed) {
    pair.answers(false);
  }
  const programs = names.map((name, index) => {
    const program = [...script(name, caller), pair.host, String(each), String(index * apartMs)];
    return stack.use(startProgram(pair.inside('here', program), { command: 'ip' }));
  });
  if (isDelayed) {
    await Promise.all(programs.map((program) => program.printed(/calling/)));
    await systemClock.sleep(750);
    pair.answers(true);
  }
  for (const program of programs) {
    expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
  }
  const seen = new Map<number, SeenConnection>();
  await eventually(
    async () => {
      for (const one of watch.take().filter(({ remoteAddress }) => remoteAddress === pair.host)) {
        seen.set(one.localPort, one);
      }
      return seen.size;
    },
    (size) => (size >= names.length * each ? size : undefined),
  );
  const users = programs.map((program, index) => ({
    processID: program.pid,
    processName: `${names[index]} (node)`,
    ports: [...program.stdout().matchAll(/^port (\d+)$/gm)].map(([, text]) => Number(text)),
  }));
  return { seen, users };
}

withTracefs(() =>
  withNetworkPair(() => {
    test('kernel events show its connections with their process', async () => {
      const { seen, users } = await called(['alpha.mjs']);
      for (const { ports, processID, processName } of users) {
        expect(ports).toHaveLength(each);
        for (const one of ports) {
          expect(seen.get(one)).toMatchObject({
            ...{ processID, processName, confidence: 'exact', collector: 'socket-events' },
            ...{ localAddress: '192.0.2.10', remoteAddress: '192.0.2.20', remotePort: port },
          });
        }
      }
    });

    // A lost SYN is sent again after a second, and then at 2 s or 3 s: the second program is answered first.
    test('of two programs whose attempts wait for one peer none has a connection of the other', async () => {
      const { seen, users } = await called(['alpha.mjs', 'beta.mjs'], 1500);
      let unknown = 0;
      for (const { ports, processID, processName } of users) {
        for (const one of ports) {
          const isOpen = seen.get(one)?.processID === 0;
          unknown += isOpen ? 1 : 0;
          expect(seen.get(one)).toMatchObject(
            isOpen ? { processName: 'unknown', confidence: 'sampled' } : { processID, processName },
          );
        }
      }
      console.log(
        `two programs at once: ${unknown} of ${2 * each} connections without a process, none with a wrong one`,
      );
    });
  }),
);

withTracefs(() => {
  test('a start that fails when its events are on already leaves no instance and no child', async () => {
    using tracing = tracefs();
    using proc = temporaryFolder();
    mkdirSync(path.join(proc.path, 'net/tcp'), { recursive: true });
    mkdirSync(path.join(proc.path, 'self/ns'), { recursive: true });
    symlinkSync('pid:[4026531836]', path.join(proc.path, 'self/ns/pid'));
    // Other test files start watches at the same time.
    const ours = `gatehouse-agent-${process.pid}-`;
    const instances = () => readdirSync(`${tracing.path}/instances`).filter((name) => name.startsWith(ours));
    const before = [instances(), childrenOf(process.pid)];
    let during: string[] = [];
    const log = Object.assign(createLog('agent', 'silent'), {
      warn: () => {
        during = instances();
        throw new Error('the disk of the log is full');
      },
    });
    const options = { clock: systemClock, log, includeLoopback: false, procDir: proc.path };
    await expect(startWatch({ ...options, tracefsDir: tracing.path })).rejects.toThrow('the disk of the log is full');
    expect(during.length).toBe((before[0]?.length ?? 0) + 1);
    expect([instances(), childrenOf(process.pid)]).toEqual(before);
  });
});

function childrenOf(processID: number): string[] {
  const threads = readdirSync(`/proc/${processID}/task`);
  return threads.flatMap((thread) =>
    readFileSync(`/proc/${processID}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}
