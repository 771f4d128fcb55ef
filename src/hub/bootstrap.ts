// Opens the data directory, builds the context and starts the jobs; what needs closing is put on a stack.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '#contract/limits.ts';
import { inspectDatabase, markDatabase } from '#kernel/database-file.ts';
import { Db, migrate } from '#kernel/sqlite.ts';
import { startAuth } from './auth/auth.ts';
import { identify, requireOwnPage } from './auth/principal.ts';
import { bringStartsBack } from './beacons/starts-back.ts';
import { startClockWatch } from './clock/watch.ts';
import { startHourPacker } from './connections/upkeep/hour-packer.ts';
import { bringHoursBack } from './connections/upkeep/hours-back.ts';
import { startRetention } from './connections/upkeep/retention-job.ts';
import type { Ctx } from './context.ts';
import { startDetecting } from './detecting.ts';
import { startJudging } from './judging.ts';
import { type Knowing, startKnowing } from './knowing.ts';
import { type Lan, startLan } from './lan.ts';
import { startLive } from './live/live.ts';
import { createRoutersFeed } from './live/routers-feed.ts';
import type { HubOptions } from './options.ts';
import type { ReaderPools } from './readers/pools.ts';
import { startReaderCheck } from './readers/reader-check.ts';
import { recordAndTell } from './recording.ts';
import { startPoller } from './routers/poller.ts';
import { publicRouter } from './routers/public-router.ts';
import { createRegistry } from './routers/registry.ts';
import { openDocument } from './settings/document.ts';
import { secretKey } from './settings/secret-key.ts';
import { openDataFolder } from './storage/data-folder.ts';
import { startDiskSpace } from './storage/disk-space.ts';
import { startFileCheck } from './storage/file-check.ts';
import { createReputation } from './threat/look-up.ts';

/** "GHOU". */
const hubDatabase = { applicationId: 0x47484f55, table: 'flow' };
/** The chat workspace's own address. */
const chatApiUrl = new URL('https://slack.com/api/');

/** What a start opened, closed in reverse also when a later step fails: `inputs` first, then the requests, then `opened`. */
export interface Opened {
  opened: AsyncDisposableStack;
  /** What brings work by itself or holds requests open: polls and event streams. */
  inputs: AsyncDisposableStack;
  pools: ReaderPools;
}

export async function bootstrap(options: HubOptions, url: URL, { opened, inputs, pools }: Opened): Promise<Ctx> {
  const { clock, log, offline = false } = options;
  const folder = opened.use(openDataFolder(options));
  const key = options.secretKey ?? secretKey(folder.keyFile, folder.documentFile);
  const document = openDocument(folder.documentFile, key);
  const file = folder.databaseFile;
  const hasData = inspectDatabase(file, hubDatabase);
  migrate(file, fileURLToPath(new URL('./migrations', import.meta.url)));
  markDatabase(file, hubDatabase);
  const db = opened.adopt(new Db(file), (open) => open.close());
  const isProxied = (options.trustProxy ?? []).length > 0;
  const auth = opened.use(
    await startAuth({
      dataDir: options.dataDir,
      document,
      db,
      clock,
      log,
      initialAdminToken: options.initialAdminToken,
      initialPassword: options.initialPassword,
      firstCredentialFiles: options.firstCredentialFiles ?? false,
      passwordCost: options.passwordCost,
      sessionTtlDays: options.sessionTtlDays ?? limits.sessionTtlDays,
      alwaysSecureCookies: options.alwaysSecureCookies ?? false,
      publicUrl: options.publicUrl ?? (isLoopbackHost(options.host) && !isProxied ? url : null),
      trustedProxyConfigured: isProxied,
      offline,
    }),
  );
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const registry = createRegistry({ document, clock, allowLoopback });
  const live = inputs.use(
    startLive({
      clock,
      log,
      revocations: auth.revocations,
      identify: (request) => identify(auth, request),
      requireOwnPage: (request, holder) => requireOwnPage(auth, request, holder),
    }),
  );
  const routersFeed = createRoutersFeed(live, (withUser) =>
    registry.list().map((record) => publicRouter(record, poller.status(record), withUser)),
  );
  // Closed here too: before what is closed below.
  const { reads, summaries, exports, scans } = opened.use(pools);
  pools.watch({ lost: () => readers.lost(), damaged: (error) => readers.damaged(error) });
  // Exports and looks for beacons run the program of `reads`.
  const readers = opened.use(
    startReaderCheck({
      clock,
      log,
      file,
      ask: (signal) => Promise.all([reads.check(signal), summaries.check(signal)]),
      isEager: options.startsReaders !== false,
    }),
  );
  const diskSpace = opened.use(startDiskSpace({ clock, log, folder: path.dirname(path.resolve(file)) }));
  const fileCheck = opened.use(startFileCheck({ clock, log, file, pool: scans }));
  const pollMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const detecting = opened.use(
    startDetecting({
      db,
      clock,
      log,
      live,
      document,
      chatApiUrl: options.chatApiUrl ?? chatApiUrl,
      scanPool: scans,
      pollMs,
    }),
  );
  const clockWatch = opened.use(
    startClockWatch({
      db,
      clock,
      log,
      also: [bringHoursBack, bringStartsBack],
      onBroughtBack: () => detecting.chat.delivery.wake(),
    }),
  );
  const mirror = options.threatMirror ?? null;
  const threat = opened.use(
    await startJudging({
      db,
      clock,
      log,
      live,
      document,
      detections: detecting.detections,
      mirror,
      version: options.version,
      offline: offline || options.threatFeeds === false,
    }),
  );
  const lan: Lan & AsyncDisposable = opened.use(
    await startLan({
      db,
      clock,
      log,
      live,
      document,
      notesFile: folder.notesFile,
      detections: detecting.detections,
      vendorOf: (mac) => knowing.enrichment.vendorOf(mac),
      nameOf: (address) => knowing.nameOf(address),
    }),
  );
  const record = recordAndTell({
    db,
    clock,
    log,
    live,
    devices: lan.devices,
    detections: detecting.detections,
    pollMs,
    knowledge: async () => ({ ...(await knowing.describers()), judge: threat.judge }),
  });
  const onLearnt = threat.learnt;
  const { devices, mesh, notes, notesFeed } = lan;
  const knowing: Knowing = opened.use(
    startKnowing({ db, clock, log, document, registry, options, record, devices, onLearnt }),
  );
  const poller = inputs.use(
    startPoller({
      registry,
      clock,
      log,
      intervalMs: pollMs,
      settleMs: options.routerSettleMs,
      record,
      async reportLan(report) {
        await knowing.enrichment.ready;
        await devices.report(report);
      },
      onStatus: routersFeed,
    }),
  );
  const warnings = [
    ...(options.warnings ?? []),
    ...bindWarnings(options),
    ...folder.warnings,
    ...lostLog(file, hasData, registry.list().length),
  ];
  for (const warning of warnings) {
    log.warn({}, warning);
  }
  opened.use(startRetention({ db, clock, log, days: () => document.current().general.retentionDays }));
  opened.use(startHourPacker({ db, clock, log }));
  const { version, commit = null } = options;
  return {
    clock,
    log,
    db,
    auth,
    live,
    enrichment: knowing.enrichment,
    lookUps: knowing.lookUps,
    dataSources: knowing.dataSources,
    logPathPrefixes: options.logPathPrefixes ?? [],
    reads,
    summaries,
    exports,
    detections: detecting.detections,
    beacons: detecting.beacons,
    chat: detecting.chat,
    threat,
    reputation: createReputation({ clock, document, mirror }),
    document,
    registry,
    routerSettleMs: options.routerSettleMs,
    poller,
    devices,
    mesh,
    notes,
    notesFeed,
    allowLoopback,
    offline,
    startedAt: clock.now(),
    version,
    commit,
    diskSpace,
    warnings: () => {
      const current = [readers.last(), fileCheck.warning(), diskSpace.warning(), clockWatch.warning()];
      return [...warnings, ...current.filter((warning) => warning !== null)];
    },
    async notReady() {
      await diskSpace.look();
      return (await readers.problem()) !== null ? 'reads_fail' : diskSpace.isFull() ? 'disk_full' : null;
    },
  };
}

/** Routers without a log: the database was lost, or lies elsewhere. */
function lostLog(file: string, hasData: boolean, routers: number): string[] {
  return hasData || routers === 0
    ? []
    : [
        `${file} was missing or empty although ${routers} ${routers === 1 ? 'router is' : 'routers are'} set up: an empty log was begun; if it should not be empty, stop the hub and put a backup back`,
      ];
}

/** A bind beyond loopback without a proxy in front sends tokens in clear text (wire contract 0.3 A10). */
function bindWarnings({ host, trustProxy }: HubOptions): string[] {
  return isLoopbackHost(host) || trustProxy?.length
    ? []
    : [`listening on ${host} without TLS: put a TLS proxy in front and name it in MONITOR_TRUST_PROXY`];
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
