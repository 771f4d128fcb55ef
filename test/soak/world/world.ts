// What a soak runs: simulators, the hub on a small disk, Agents, the MCP server, a bare server to compare with.
import path from 'node:path';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { seedLog } from '../../../bench/seed.ts';
import { mountProblem, type SmallDisk, smallDisk } from '../../support/mounted-disk.ts';
import { startProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createChance } from '../chance.ts';
import { type Agents, startAgents } from './agents.ts';
import { type HubLives, startHubLives } from './hub.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type McpLives, startMcpLives } from './mcp.ts';
import { setUpHub } from './set-up.ts';
import { type Sims, startSims } from './sims.ts';
import { createTruths, type Truths } from './truth.ts';

/** Room for the log, for some backups of it and for what a restore sets aside. */
const diskKb = 400_000;
/**
 * Flows that are there before the first: on an empty log the page caches of SQLite (16 MiB of the writer, 4 of each reader)
 * grow for hours with the file, up to their bounds.
 */
const flowsBefore = 60_000;

export interface World extends AsyncDisposable {
  readonly sims: Sims;
  readonly hub: HubLives;
  readonly mcp: McpLives;
  readonly agents: Agents;
  readonly ledger: Ledger;
  readonly truths: Truths;
  /** Null where none can be mounted; `withoutDisk` says why. */
  readonly disk: SmallDisk | null;
  readonly withoutDisk: string | null;
  /** A server of one route, which shows how late this machine is anyway. */
  readonly bareUrl: URL;
  /** Times of this machine between which what was acknowledged is undone by a restore. */
  readonly undone: { from: number; to: number }[];
  /** Since the world stands, epoch milliseconds. */
  readonly startedAt: number;
}

export async function startWorld(seed: number): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const withoutDisk = mountProblem();
  const disk = withoutDisk === null ? opened.use(smallDisk(diskKb)) : null;
  const folder = disk?.path ?? opened.use(temporaryFolder()).path;
  const scratch = opened.use(temporaryFolder()).path;
  await seedLog({
    rows: flowsBefore,
    dataDir: path.join(folder, 'data'),
    now: systemClock.now(),
    progress: () => undefined,
  });
  const sims = opened.use(await startSims(seed, 60));
  const bare = opened.use(startProgram(['bench/bare-server.ts']));
  const [, bareAddress = ''] = await bare.printed(/^bare server ready (\S+)$/m);
  const hub = opened.use(
    await startHubLives({
      folder,
      adminToken: createToken('', 24),
      env: { MONITOR_CHAT_API_URL: sims.lines.chat.url, MONITOR_THREAT_MIRROR: sims.lines.feeds.url },
    }),
  );
  await setUpHub(hub, sims);
  const agents = opened.use(await startAgents(hub, seed, 3));
  const mcp = opened.use(await startMcpLives(hub, scratch));
  const whole = opened.move();
  return {
    ...{ sims, hub, mcp, agents, disk, withoutDisk },
    ledger: createLedger(hub, createChance(seed + 1)),
    truths: createTruths(),
    bareUrl: new URL('/readyz', bareAddress),
    undone: [],
    startedAt: systemClock.now(),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
