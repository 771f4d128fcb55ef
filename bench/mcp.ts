// The MCP endpoint under load, with authentication, limits and audit, beside the SDK's bare example with the same tools and
// the same hub, in turn. The hub is one that answers at once: what is measured is the endpoint.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ThreatCounts } from '#contract/connection-reports.ts';
import { freePort } from '#kernel/http/listening.ts';
import { cpuMs, memoryMb } from '../test/support/hub-process.ts';
import { legacy, modern } from '../test/support/mcp-lab.ts';
import { type Program, startProgram } from '../test/support/program.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const mcpBenchmark: Benchmark = {
  summary: 'MCP over HTTP with authentication, limits and audit, beside the bare example of the SDK',
  options: {
    connections: 'connections at once, 1 to 100 (10)',
    seconds: 'length of each measurement, 1 to 60 (3)',
  },
  runs: 5,
  by: ['request'],
  async run(values, runs, progress) {
    const load = {
      connections: wholeOption(values, 'connections', 10, 1, 100),
      duration: wholeOption(values, 'seconds', 3, 1, 60),
    };
    using folder = temporaryFolder();
    await using hub = await startQuickHub();
    await using bare = await startServer(['bench/mcp-bare.ts', hub.origin], {});
    await using ours = await startServer(['src/main.ts', 'mcp'], await settings(hub.origin, folder.path));
    const figures: Figures[] = [];
    for (let run = 0; run <= runs; run += 1) {
      for (const request of requests) {
        progress(`run ${run} of ${runs}, ${request.name}`);
        const floor = await measure(bare, request, load);
        const own = await measure(ours, request, load);
        // The first round warms both up.
        figures.push(...(run === 0 ? [] : [figuresOf(request.name, own, floor, ours)]));
      }
    }
    return figures;
  },
};

interface Figures {
  request: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** User and system time of the server's process, for each request. */
  cpuUs: number;
  barePerSecond: number;
  bareP99Ms: number;
  bareCpuUs: number;
  /** Requests a second, and CPU time saved, as percent of the bare example's: 100 is as good. */
  percent: number;
  cpuPercent: number;
  rssMb: number;
}

interface Load {
  connections: number;
  /** Seconds. */
  duration: number;
}

interface BenchRequest {
  name: string;
  headers: Record<string, string>;
  body: string;
  /** What every right answer holds. */
  holds: string;
}

const token = 'the-token-of-the-benchmark';
const calling = { name: 'get_threat_summary', arguments: { period: '24h' } };
const requests = [
  inEra2026('tools/call 2026-07-28', modern('tools/call', calling), '"danger":3'),
  inEra2025('tools/call 2025-11-25', legacy('tools/call', calling), '"danger":3'),
  inEra2026('tools/list 2026-07-28', modern('tools/list'), 'set_device_note'),
];

function inEra2026(name: string, { message, headers }: ReturnType<typeof modern>, holds: string): BenchRequest {
  return { name, headers, body: JSON.stringify(message), holds };
}

function inEra2025(name: string, message: object, holds: string): BenchRequest {
  return { name, headers: { 'mcp-protocol-version': '2025-11-25' }, body: JSON.stringify(message), holds };
}

/** Private token mode; limits are on and far away, the audit writes every call. */
async function settings(hub: string, folder: string): Promise<Record<string, string>> {
  return {
    MONITOR_URL: hub,
    MCP_PORT: String(await freePort()),
    MCP_TOKEN: token,
    MCP_SERVICE_TOKEN: `svc_${'0'.repeat(64)}`,
    MCP_AUDIT_HMAC_KEY: 'a-key-of-the-pseudonyms-of-the-benchmark',
    MCP_AUDIT_DB_PATH: path.join(folder, 'audit.db'),
    MCP_RATE_LIMIT_GLOBAL: '1000000',
    MCP_RATE_LIMIT_SUBJECT: '1000000',
    MCP_RATE_LIMIT_CLIENT: '1000000',
    MCP_MAX_CONCURRENT: '100',
    LOG_LEVEL: 'warn',
  };
}

interface Server extends AsyncDisposable {
  url: string;
  program: Program;
}

async function startServer(args: readonly string[], env: Record<string, string>): Promise<Server> {
  const program = startProgram(args, { env });
  try {
    const [, url = ''] = await program.printed(/ ready (http\S+)$/m);
    return { url, program, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

/** What the two servers ask: two constant answers. */
async function startQuickHub() {
  const identity = { id: 'bench', label: 'bench', permissions: ['network.read', 'notes.write'] };
  const self = JSON.stringify({ identity: { ...identity, createdAt: 0, expiresAt: 1, lastUsedAt: null } });
  const counts = JSON.stringify({
    safe: 1,
    warn: 2,
    danger: 3,
    judged: 'full',
    judgedWhy: null,
    coverage: { share: 1, message: null },
    serverTime: 0,
  } satisfies ThreatCounts);
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json').end(url.includes('identities/self') ? self : counts);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As much of autocannon's answer as is read; it has no types of its own. */
interface CannonResult {
  requests: { total: number };
  duration: number;
  latency: { p50: number; p99: number };
  errors: number;
  non2xx: number;
  mismatches: number;
}
type Cannon = (options: object) => Promise<CannonResult>;
const cannon = createRequire(import.meta.url)('autocannon') as Cannon;

interface Measured {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuUs: number;
}

async function measure({ url, program }: Server, { headers, body, holds, name }: BenchRequest, load: Load) {
  const before = cpuMs(program.pid);
  const result = await cannon({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-admin-token': token,
      ...headers,
    },
    body,
    verifyBody: (text: string) => text.includes(holds),
    ...load,
  });
  const wrong = result.errors + result.non2xx + result.mismatches;
  if (wrong > 0) {
    throw new Error(`${name}: ${wrong} of ${result.requests.total} answers were wrong: ${program.stderr()}`);
  }
  const { total } = result.requests;
  const { p50: p50Ms, p99: p99Ms } = result.latency;
  const cpuUs = ((cpuMs(program.pid) - before) * 1000) / total;
  return { perSecond: total / result.duration, p50Ms, p99Ms, cpuUs };
}

function figuresOf(request: string, own: Measured, floor: Measured, { program }: Server): Figures {
  return {
    request,
    ...own,
    barePerSecond: floor.perSecond,
    bareP99Ms: floor.p99Ms,
    bareCpuUs: floor.cpuUs,
    percent: (100 * own.perSecond) / floor.perSecond,
    cpuPercent: (100 * floor.cpuUs) / own.cpuUs,
    rssMb: Math.round(memoryMb(program.pid).rss),
  };
}
