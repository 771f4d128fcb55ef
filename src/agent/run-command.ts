// `gatehouse agent run`: options and life of the running Agent.
import { once } from 'node:events';
import { createLog } from '#kernel/process/log.ts';
import { oneOfOption, wholeOption } from '#kernel/process/option-value.ts';
import { runProgram } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { dataFolder, readAgentEnv } from './config.ts';
import { openStore } from './credentials/choose.ts';
import { agentFiles, openFolder } from './folder.ts';
import { agentProgramLimits as limits } from './limits.ts';
import { isPlaintext, plaintextWarning } from './plaintext.ts';
import { requireRecord } from './record.ts';
import { startAgent } from './run.ts';
import type { StartWatch } from './sources/watch.ts';

const usage = `Usage: gatehouse agent run [options]

Watches the connections of this machine and delivers them to the hub, until SIGINT or SIGTERM. What cannot be delivered
waits on disk.

Options
  --every S           seconds between two batches, ${limits.takeMinS} to ${limits.takeMaxS} (default ${limits.takeS})
  --poll S            seconds between two reads of the socket tables, ${limits.pollMinS} to ${limits.pollMaxS} (default ${limits.pollS}, with events of the
                      kernel ${limits.pollWithEventsS})
  --sources SOURCES   all, or tables: the socket tables alone (default all)
  --include-loopback  connections within this machine too
  --spool-mb N        megabytes of batches that wait at most, ${limits.spoolMinMb} to ${limits.spoolMaxMb} (default ${limits.spoolMb}); the oldest is dropped
  --rotate-days N     days after which the bearer is rotated, up to ${limits.rotateMaxDays} (default ${limits.rotateDays}); 0: never
  --data DIR          folder of the Agent (GATEHOUSE_AGENT_DIR)
  --help              this text
  --version           the version
`;

const options = {
  every: { type: 'string' },
  poll: { type: 'string' },
  sources: { type: 'string' },
  'include-loopback': { type: 'boolean' },
  'spool-mb': { type: 'string' },
  'rotate-days': { type: 'string' },
  data: { type: 'string' },
} as const;

const ranges = {
  every: { standard: limits.takeS, range: [limits.takeMinS, limits.takeMaxS] },
  poll: { standard: limits.pollS, range: [limits.pollMinS, limits.pollMaxS] },
  'spool-mb': { standard: limits.spoolMb, range: [limits.spoolMinMb, limits.spoolMaxMb] },
  'rotate-days': { standard: limits.rotateDays, range: [0, limits.rotateMaxDays] },
} as const;

function parseNumber(name: keyof typeof ranges, text: string | undefined): number {
  const { standard, range } = ranges[name];
  return text === undefined ? standard : wholeOption(name, text, range);
}

export const runAgentWith = (startWatch: StartWatch) => (argv: readonly string[]) =>
  runProgram(argv, { name: 'agent run', usage, options }, async (given) => {
    const takeMs = parseNumber('every', given.every) * 1000;
    const pollMs = given.poll === undefined ? undefined : parseNumber('poll', given.poll) * 1000;
    const spoolBytes = parseNumber('spool-mb', given['spool-mb']) * 1_048_576;
    const rotateDays = parseNumber('rotate-days', given['rotate-days']);
    const allow = oneOfOption('sources', given.sources ?? 'all', ['all', 'tables'] as const);
    const env = readAgentEnv();
    const files = agentFiles(dataFolder(given.data, env));
    const stop = stopSignal();
    const clock = systemClock;
    const log = createLog('agent', env.LOG_LEVEL);
    using _lock = openFolder(files, (sentence) => log.warn({}, sentence));
    const record = requireRecord(files);
    const hubUrl = new URL(record.hubUrl);
    if (isPlaintext(hubUrl) && record.acceptsPlaintext) {
      log.warn({}, plaintextWarning(hubUrl));
    }
    const store = openStore(record.store, record.credentialName, { clock, env, file: files.credential });
    const includeLoopback = given['include-loopback'] ?? false;
    const settings = { takeMs, pollMs, spoolBytes, rotateDays, includeLoopback, allow };
    await using agent = await startAgent({ clock, log, files, store, startWatch, ...settings });
    process.stdout.write(`gatehouse agent ready ${hubUrl.origin} ${record.hostName}\n`);
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
    await agent.finish();
  });
