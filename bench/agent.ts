// What the Agent costs its machine: CPU share and memory of the program and its children, at rest and with open sockets.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { enrolRealAgent, startRealAgent } from '../test/support/agent-real.ts';
import { cpuMs, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const agentBenchmark: Benchmark = {
  summary: 'the Agent at a hub, at rest and with open sockets: CPU share and memory',
  options: {
    seconds: 'length of each measurement, 5 to 3600 (60)',
    sockets: 'open sockets, two of each connection, 2 to 20000 (600)',
  },
  runs: 1,
  by: ['sources', 'sockets'],
  async run(values, runs, progress) {
    const seconds = wholeOption(values, 'seconds', 60, 5, 3600);
    const sockets = wholeOption(values, 'sockets', 600, 2, 20_000);
    using folder = temporaryFolder();
    await using hub = await startHubProcess({
      dataDir: path.join(folder.path, 'hub'),
      adminToken: randomBytes(24).toString('hex'),
      isMeasured: true,
    });
    const data = path.join(folder.path, 'agent');
    await enrolRealAgent(hub, data);
    const figures: AgentFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      for (const open of [0, sockets]) {
        for (const sources of ['all', 'tables'] as const) {
          progress(`run ${run} of ${runs}, ${sources}, ${open} sockets`);
          figures.push(await measure(data, sources, open, seconds));
        }
      }
    }
    return figures;
  },
};

interface AgentFigures {
  sources: 'all' | 'tables';
  sockets: number;
  /** Percent of one core, of the program and all its children. */
  cpuPercent: number;
  rssMb: number;
  childrenMb: number;
}

/** With `sockets` of this process open, which are watched although they are loopback. */
async function measure(
  data: string,
  sources: AgentFigures['sources'],
  sockets: number,
  seconds: number,
): Promise<AgentFigures> {
  await using _ = await openSockets(sockets / 2);
  await using program = await startRealAgent(data, ['--sources', sources, '--include-loopback']);
  // What the start costs is not the rest.
  await systemClock.sleep(20_000);
  const before = cpuOf(program.pid);
  const elapsed = stopwatch();
  await systemClock.sleep(seconds * 1000);
  const cpuPercent = ((cpuOf(program.pid) - before) / elapsed()) * 100;
  const childrenMb = childrenOf(program.pid).reduce((sum, child) => sum + memoryMb(child).rss, 0);
  const figures = { sources, sockets, cpuPercent, rssMb: memoryMb(program.pid).rss, childrenMb };
  program.kill('SIGTERM');
  await program.ended;
  return figures;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

/** Milliseconds of CPU of the process and of its children, those that have ended too. */
function cpuOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), cpuMs(pid, 'itself and ended children'));
}

async function openSockets(connections: number): Promise<AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open: Socket[] = [];
  server.on('connection', (socket) => open.push(socket));
  for (let number = 0; number < connections; number += 1) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    open.push(socket);
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
