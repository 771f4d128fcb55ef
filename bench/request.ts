// What an authenticated request costs the hub beyond the same answer of bare Fastify: CPU of both processes, in turns.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { cpuMs, startHubProcess } from '../test/support/hub-process.ts';
import { startProgram } from '../test/support/program.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const requestBenchmark: Benchmark = {
  summary: 'CPU of an authenticated request that reads nothing, beyond the same answer of bare Fastify',
  options: { requests: 'requests of each kind in a run (4000)' },
  runs: 5,
  by: ['request'],
  run: (values, runs, progress) => benchRequests(runs, wholeOption(values, 'requests', 4000, 100, 100_000), progress),
};

/** One kind of request in one run; times are CPU of the server for one request, user and system. */
interface RequestFigures {
  request: string;
  hubUs: number;
  bareUs: number;
  beyondUs: number;
}

async function benchRequests(runs: number, requests: number, progress: (text: string) => void) {
  using folder = temporaryFolder();
  const adminToken = randomBytes(24).toString('hex');
  await using opened = new AsyncDisposableStack();
  // With more than one, the next request may open another connection, which costs the server more than the request.
  const dispatcher = opened.adopt(new Agent({ connections: 1 }), (one) => one.destroy());
  await using bare = startProgram(['bench/bare-server.ts', '']);
  const [, origin = ''] = await bare.printed(/^bare server ready (\S+)$/m);
  await using hub = await startHubProcess({
    isMeasured: true,
    dataDir: folder.path,
    adminToken,
    command: 'bin/gatehouse.js',
  });
  const identity = await hub.as.identity(['network.read']);
  const callers = {
    'admin token': { 'x-admin-token': adminToken },
    identity: { 'x-admin-token': identity.token },
  };
  const figures: RequestFigures[] = [];
  for (let run = 0; run <= runs; run += 1) {
    for (const [name, headers] of Object.entries(callers)) {
      progress(`run ${run} of ${runs}: ${name}`);
      const target = new URL(name === 'identity' ? '/api/auth/api-identities/self' : '/api/auth/status', hub.url);
      const bytes = await send(dispatcher, target, headers, 1);
      const floor = new URL(`/bytes/${bytes}`, origin);
      const before = { hub: cpuMs(hub.program.pid), bare: cpuMs(bare.pid) };
      await send(dispatcher, target, headers, requests);
      await send(dispatcher, floor, headers, requests);
      const hubUs = ((cpuMs(hub.program.pid) - before.hub) * 1000) / requests;
      const bareUs = ((cpuMs(bare.pid) - before.bare) * 1000) / requests;
      // The first run warms both up.
      if (run > 0) {
        figures.push({ request: name, hubUs, bareUs, beyondUs: hubUs - bareUs });
      }
    }
  }
  return figures;
}

/** Sends `times` requests one after another; resolves to the bytes of an answer. */
async function send(dispatcher: Agent, url: URL, headers: Record<string, string>, times: number): Promise<number> {
  let bytes = 0;
  for (let each = 0; each < times; each += 1) {
    const { statusCode, body } = await request(url, { dispatcher, headers });
    bytes = (await body.arrayBuffer()).byteLength;
    if (statusCode !== 200) {
      throw new Error(`${url.pathname} was answered with ${statusCode}`);
    }
  }
  return bytes;
}
