// `gatehouse hub`: options and environment → a running hub, until SIGINT or SIGTERM.
import { once } from 'node:events';
import path from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { buildCommit } from '#kernel/commit.ts';
import { messageOf } from '#kernel/errors.ts';
import { listenFailure } from '#kernel/listen-failure.ts';
import { createLog } from '#kernel/log.ts';
import { stopSignal } from '#kernel/stop-signal.ts';
import { packageVersion } from '#kernel/version.ts';
import { startWatchdog } from '#kernel/watchdog.ts';
import { hubArguments, hubSettings, hubUsage } from './config.ts';
import type { Hub } from './hub.ts';
import { startReaderPools } from './readers/pools.ts';
import { fileNames } from './storage/file-names.ts';

/** Resolves to the exit code: 0 after a clean stop, 1 on failure, 2 on a usage error. */
export async function runHub(argv: readonly string[]): Promise<number> {
  let args: ReturnType<typeof hubArguments>;
  try {
    args = hubArguments(argv);
  } catch (error) {
    process.stderr.write(`gatehouse hub: ${messageOf(error)} (see --help)\n`);
    return 2;
  }
  if (args.help || args.version) {
    process.stdout.write(args.help ? hubUsage : `${packageVersion()}\n`);
    return 0;
  }
  try {
    await serve(args);
    return 0;
  } catch (error) {
    process.stderr.write(`gatehouse hub: ${listenFailure(error) ?? messageOf(error)}\n`);
    return 1;
  }
}

async function serve(args: ReturnType<typeof hubArguments>): Promise<void> {
  const settings = hubSettings(args);
  const stop = stopSignal();
  const log = createLog('hub', settings.LOG_LEVEL);
  const paths = {
    dataDir: settings.dataDir,
    configPath: settings.MONITOR_CONFIG_PATH,
    dbPath: settings.MONITOR_DB_PATH,
  };
  // Reader threads load their program on another core while this one loads the rest.
  await using pools = startReaderPools(fileNames(paths).databaseFile);
  const { startHub } = await import('./hub.ts');
  await using hub = await startHub({
    ...paths,
    pools,
    host: settings.host,
    port: settings.port,
    version: packageVersion(),
    commit: buildCommit(settings.GATEHOUSE_COMMIT),
    clock: systemClock,
    log,
    pollIntervalMs: settings.POLL_INTERVAL_MS,
    allowLoopbackRouters: settings.MONITOR_ALLOW_LOOPBACK_ROUTERS,
    initialAdminToken: settings.MONITOR_INITIAL_ADMIN_TOKEN,
    initialPassword: settings.MONITOR_INITIAL_PASSWORD,
    firstCredentialFiles: !process.stdout.isTTY,
    publicUrl: settings.MONITOR_PUBLIC_URL,
    alwaysSecureCookies: settings.MONITOR_SECURE_COOKIES,
    sessionTtlDays: settings.MONITOR_SESSION_TTL_DAYS,
    secretKey: settings.MONITOR_SECRET_KEY,
    offline: settings.MONITOR_OFFLINE_MODE,
    threatMirror: settings.MONITOR_THREAT_MIRROR,
    chatApiUrl: settings.MONITOR_CHAT_API_URL,
    trustProxy: settings.MONITOR_TRUST_PROXY,
    internalDns: settings.MONITOR_INTERNAL_DNS,
    logPathPrefixes: settings.MONITOR_LOG_PATH_PREFIXES,
    enrichmentDir: settings.ENRICHMENT_DIR,
    rate: {
      reads: settings.MONITOR_RATE_LIMIT_READS,
      writes: settings.MONITOR_RATE_LIMIT_WRITES,
      windowMs: settings.MONITOR_RATE_LIMIT_WINDOW_MS,
    },
    warnings: settings.warnings,
    slowMs: settings.MONITOR_SLOW_REQUEST_MS,
  });
  printFirst(hub, settings);
  const state = (await hub.notReady()) === null ? 'ready' : 'listening, not ready:';
  process.stdout.write(`gatehouse hub ${state} ${hub.url.origin}\n`);
  // Its thread takes a core for a moment: after what the start needs.
  const stallMs = settings.MONITOR_WATCHDOG_STALL_MS;
  await using _watchdog = startWatchdog(systemClock, log, {
    stallMs,
    lastWords: `gatehouse hub: the event loop has stood still for ${stallMs / 1000} seconds (MONITOR_WATCHDOG_STALL_MS): this process ends, and its service manager should start it again`,
  });
  if (!stop.aborted) {
    await once(stop, 'abort');
  }
}

/** On a terminal the secrets themselves; elsewhere stdout may end in a log, and says which private file holds each. */
function printFirst(hub: Hub, settings: ReturnType<typeof hubSettings>): void {
  const folder = settings.MONITOR_CONFIG_PATH ? path.dirname(settings.MONITOR_CONFIG_PATH) : settings.dataDir;
  const print = (name: string, secret: string, file: string, after: string) =>
    process.stdout.write(
      process.stdout.isTTY
        ? `${name} (shown only now): ${secret}\n`
        : `${name}: in ${path.join(folder, file)}, ${after}\n`,
    );
  if (hub.newAdminToken !== null && settings.MONITOR_INITIAL_ADMIN_TOKEN === undefined) {
    print('admin token', hub.newAdminToken, 'initial-admin-token', 'which you delete when you have read it');
  }
  if (hub.newPassword !== null && settings.MONITOR_INITIAL_PASSWORD === undefined) {
    print('login password', hub.newPassword, 'initial-password', 'which is deleted at the first login');
  }
}
