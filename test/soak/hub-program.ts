// `gatehouse hub` with a clock that can be put wrong: the product has no switch for that, so this entry hands it another
// Clock. At SIGHUP and at its start it reads, from the file `clock-offset` next to the data folder, how many milliseconds
// its clock is off. As on a machine whose time is set, what sleeps is not woken by it.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type HubArguments, hubSettings } from '#hub/base/config.ts';
import { startReaderPools } from '#hub/base/readers/pools.ts';
import { toFileNames } from '#hub/base/storage/file-names.ts';
import { startHub } from '#hub/start/hub.ts';
import { createLog } from '#kernel/process/log.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { type Clock, systemClock } from '#kernel/time/clock.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { host: { type: 'string' }, port: { type: 'string' }, data: { type: 'string' } },
});

async function serve(args: HubArguments): Promise<void> {
  const { options, logLevel } = hubSettings(args);
  const stop = stopSignal();
  const file = path.join(path.dirname(options.dataDir), 'clock-offset');
  const readOffset = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  let offsetMs = readOffset();
  process.on('SIGHUP', () => {
    offsetMs = readOffset();
  });
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + offsetMs };
  await using pools = startReaderPools(toFileNames(options).databaseFile);
  await using hub = await startHub({ ...options, clock, log: createLog('hub', logLevel), pools });
  process.stdout.write(`gatehouse hub ready ${hub.url.origin}\n`);
  if (!stop.aborted) {
    await once(stop, 'abort');
  }
}

await serve(values);
