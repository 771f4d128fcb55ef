// `gatehouse hub`: options and environment → a running hub, until SIGINT or SIGTERM.
import { once } from 'node:events';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { listenFailure } from '#kernel/http/listen-failure.ts';
import { createLog } from '#kernel/process/log.ts';
import { runProgram } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { startWatchdog } from '#kernel/process/watchdog.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type HubArguments, hubSettings, hubUsage } from './base/config.ts';
import { startReaderPools } from './base/readers/pools.ts';
import { toFileNames } from './base/storage/file-names.ts';
import { webFolder } from './start/front/web-folder.ts';
import type { Hub } from './start/hub.ts';

const options = { host: { type: 'string' }, port: { type: 'string' }, data: { type: 'string' } } as const;

/** Resolves to the exit code: 0 after a clean stop, 1 on failure, 2 on a usage error. */
export function runHub(argv: readonly string[]): Promise<number> {
  const explain = (error: unknown) => listenFailure(error) ?? messageOf(error);
  return runProgram(argv, { name: 'hub', usage: hubUsage, options, explain }, serve);
}

async function serve(args: HubArguments): Promise<void> {
  const { options, logLevel, stallMs } = hubSettings(args);
  const stop = stopSignal();
  const log = createLog('hub', logLevel);
  // Reader threads load their program on another core while this one loads the rest.
  await using pools = startReaderPools(toFileNames(options).databaseFile);
  const { startHub } = await import('./start/hub.ts');
  const firstCredentialFiles = !process.stdout.isTTY;
  await using hub = await startHub({
    ...options,
    clock: systemClock,
    log,
    pools,
    firstCredentialFiles,
    webFolder: webFolder(),
  });
  printFirst(hub, options);
  const state = (await hub.notReady()) === null ? 'ready' : 'listening, not ready:';
  process.stdout.write(`gatehouse hub ${state} ${hub.url.origin}\n`);
  // Its thread takes a core for a moment: after what the start needs.
  await using _watchdog = startWatchdog(systemClock, log, {
    stallMs,
    lastWords: `gatehouse hub: the event loop has stood still for ${stallMs / 1000} seconds (MONITOR_WATCHDOG_STALL_MS): this process ends, and its service manager should start it again`,
  });
  if (!stop.aborted) {
    await once(stop, 'abort');
  }
}

/** On a terminal the secrets themselves; elsewhere stdout may end in a log, and says which private file holds each. */
function printFirst(hub: Hub, options: ReturnType<typeof hubSettings>['options']): void {
  const folder = options.configPath ? path.dirname(options.configPath) : options.dataDir;
  const print = (name: string, secret: string, file: string, after: string) =>
    process.stdout.write(
      process.stdout.isTTY
        ? `${name} (shown only now): ${secret}\n`
        : `${name}: in ${path.join(folder, file)}, ${after}\n`,
    );
  if (hub.newAdminToken !== null && options.initialAdminToken === undefined) {
    print(
      'admin token',
      hub.newAdminToken,
      'initial-admin-token',
      'which you delete once the token is in a password manager',
    );
  }
  if (hub.newPassword !== null && options.initialPassword === undefined) {
    print('login password', hub.newPassword, 'initial-password', 'which is deleted at the first login');
  }
}
