// Every feature of the hub, in the order in which they start: each gets what all get, and those before it that it needs.
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';
import { createSteadyClock } from '#kernel/steady-clock.ts';
import { startAgentsFeature } from './agents/feature.ts';
import { createAgentRegistry } from './agents/registry.ts';
import { createSessionLog } from './agents/session-log.ts';
import { startAnalysisFeature } from './ai/analysis/feature.ts';
import { startConversationsFeature } from './ai/conversations/feature.ts';
import { createHistoryOf, createTurnsOf } from './ai/conversations/history.ts';
import { startAiFeature } from './ai/feature.ts';
import { markEventsSent } from './ai/notifications/event-log.ts';
import { startAiNotificationsFeature } from './ai/notifications/feature.ts';
import { openCatalog } from './ai/pricing/catalog.ts';
import { startAiUsageFeature } from './ai/usage/feature.ts';
import type { Auth } from './auth/auth.ts';
import { startAuthFeature } from './auth/feature.ts';
import { identify, requireOwnPage } from './auth/principal.ts';
import { startBeaconsFeature } from './beacons/feature.ts';
import { isWorthKeeping, writeStarts } from './beacons/start-recorder.ts';
import { type ChatFeature, startChatFeature } from './chat/feature.ts';
import { startClockFeature } from './clock/feature.ts';
import { lastSteadyTime } from './clock/watch.ts';
import type { HubOptions } from './config.ts';
import { createAnnouncer } from './connections/announce.ts';
import { createClosedHours } from './connections/closed-hours/closed-hours.ts';
import { hourColumns } from './connections/closed-hours/row-text.ts';
import { startConnectionsFeature } from './connections/feature.ts';
import { createObservers } from './connections/store/observer-set.ts';
import { createSourceLabels } from './connections/store/source-labels.ts';
import { rejudgeFlows } from './connections/upkeep/rejudge.ts';
import { startCoverageFeature } from './coverage/feature.ts';
import { startDataSourcesFeature } from './data-sources/feature.ts';
import { markChatSent } from './detection/detection-log.ts';
import { startDetectionFeature } from './detection/feature.ts';
import { startDevicesFeature } from './devices/feature.ts';
import { type EnrichmentFeature, startEnrichmentFeature } from './enrichment/feature.ts';
import { startLookUpsFeature } from './enrichment/remote/feature.ts';
import { type Base, type Feature, type HubHandlers, joinHandlers } from './feature.ts';
import { type InsightsFeature, startInsightsFeature } from './insights/feature.ts';
import { startLiveFeature } from './live/feature.ts';
import type { Live, LiveOptions } from './live/live.ts';
import { startMeshFeature } from './mesh/feature.ts';
import { startNoteDraftsFeature } from './notes/drafts/feature.ts';
import { type NotesFeature, startNotesFeature } from './notes/feature.ts';
import { startReadersFeature } from './readers/feature.ts';
import type { ReaderPools } from './readers/pools.ts';
import { startRoutersFeature } from './routers/feature.ts';
import { openDocument } from './settings/document.ts';
import { startSettingsFeature } from './settings/feature.ts';
import { secretKey } from './settings/secret-key.ts';
import { createSignals } from './signals.ts';
import { openClient } from './sink/client.ts';
import { startSinkFeature } from './sink/feature.ts';
import { startStatusFeature } from './status/feature.ts';
import { startBackupFeature } from './storage/backup/feature.ts';
import { createAlarm } from './storage/damage/alarm.ts';
import { openDatabase } from './storage/database.ts';
import { startStorageFeature } from './storage/feature.ts';
import type { ReplaceDatabase } from './storage/restore/replacement.ts';
import { startThreatFeature } from './threat/feature.ts';
import { startReputationFeature } from './threat/reputation/feature.ts';
import { times } from './times.ts';

/** What is started, and what ends it. `inputs` bring work by themselves or hold requests open: they end first. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle() {
  const [inputs, opened] = [new AsyncDisposableStack(), new AsyncDisposableStack()];
  const started: Feature[] = [];
  const holder =
    (stack: AsyncDisposableStack) =>
    <F extends Feature>(feature: F): F => {
      started.push(feature);
      stack.defer(async () => feature[Symbol.asyncDispose]?.());
      return feature;
    };
  return { inputs, opened, started, use: holder(opened), useInput: holder(inputs) };
}

export type Features = Awaited<ReturnType<typeof startFeatures>>;

/** Opens the files of the hub. Throws an Error that names the file and what to do. */
export function openBase(
  options: HubOptions,
  { folder, hasData }: Pick<Base, 'folder' | 'hasData'>,
  readers: ReaderPools,
  { opened }: Lifecycle,
): Base {
  const { clock, log, offline = false } = options;
  const settings = openDocument(
    folder.documentFile,
    options.secretKey ?? secretKey(folder.keyFile, folder.documentFile),
  );
  const db = opened.adopt(openDatabase(folder.databaseFile), (open) => open.close());
  // Closed here too: before the database.
  opened.use(readers);
  const steadyClock = createSteadyClock(clock);
  steadyClock.raiseTo(lastSteadyTime(db) ?? 0);
  return {
    clock,
    steadyClock,
    log,
    db,
    settings,
    signals: createSignals(log),
    readers,
    folder,
    hasData,
    offline,
    options,
  };
}

/** What the hub around the features gives them. */
export interface Around {
  /** Where it listens. */
  url: URL;
  /** Ends these features and starts them again with another database. */
  replace: ReplaceDatabase;
}

export async function startFeatures(base: Base, { url, replace }: Around, { started, use, useInput }: Lifecycle) {
  const registry = createAgentRegistry(base);
  const { auth, ...authentication } = use(await startAuthFeature(base, url, registry));
  const live = useInput(startLiveFeature(base, callersOf(auth)));
  const observers = createObservers(base.db, () => base.settings.current().routers);
  const chat = use(startChatFeature(base, markSent));
  const detection = use(startDetectionFeature(base, { chat, live, observers }));
  const announcer = createAnnouncer({ ...base, live, detection });
  const enrichment = use(startEnrichmentFeature(base));
  const threat = use(await startThreatFeature(base, { live, enrichment, announcer, detection, rejudgeFlows }));
  const notes = use(await startNotesFeature(base, live));
  const writers = { sourceLabels: createSourceLabels, onMade: detection.newDevices };
  const devices = use(startDevicesFeature(base, { live, observers, notes, enrichment, ...writers }));
  const mesh = use(startMeshFeature(base, { live, devices }));
  const sessionLog = createSessionLog(base.db);
  const recording = { live, observers, devices, detection, enrichment, threat, announcer, starts, sessionLog };
  const coverage = use(startCoverageFeature(base, () => started));
  const connections = use(startConnectionsFeature(base, { ...recording, coverage, historySource: readerOf(base) }));
  const handlers: HubHandlers = joinHandlers([
    authentication,
    live,
    chat,
    detection,
    threat,
    notes,
    devices,
    mesh,
    connections,
    coverage,
    ...startIndependentFeatures(base, use),
    use(startAgentsFeature(base, { auth, registry, sessionLog, connections, devices, threat, announcer })),
    ...startStorage(base, use, { auth, chat, replace }),
    ...startSupplements(base, use, { detection, live, enrichment, devices, connections }),
    ...(await startInsights(base, { use, useInput }, { ...recording, connections, coverage, mesh, chat, notes, auth })),
    use(startStatusFeature(base, () => started)),
  ]);
  return { base, auth, handlers, started };
}

/** What reads the routers, what compares the periods that they showed, and what explains them. */
async function startInsights(base: Base, holders: Starters, peers: Collected & Explained) {
  const [routers, insights] = startCollection(base, holders, peers);
  return [routers, insights, ...(await startAi(base, holders, { ...peers, insights }))] as const;
}

/** What analyses are made for, where they are sent, and who had them sent. */
interface Explained {
  auth: Auth;
  chat: ChatFeature;
  live: Live;
  notes: NotesFeature;
}

/** AI insights, as far as they ask a provider, what that costs, and where it is sent. */
async function startAi(base: Base, { use, useInput }: Starters, peers: Explained & { insights: InsightsFeature }) {
  const prices = openCatalog(base.options.priceCatalog);
  const ai = use(startAiFeature(base, { prices, auth: peers.auth }));
  const { contexts } = peers.insights;
  const { generations } = ai;
  const historyOf = createHistoryOf(base.db, createTurnsOf(base.readers.reads));
  const analysis = use(startAnalysisFeature(base, { contexts, generations, prices, historyOf }));
  const { analyse, composeMessage: compose } = analysis;
  // Before requests are waited for: they end then.
  useInput({ [Symbol.asyncDispose]: () => generations.end() });
  return [
    ai,
    analysis,
    use(startNoteDraftsFeature(base, { ...peers, contexts, writer: analysis.draftWriter })),
    use(startAiUsageFeature(base, prices)),
    useInput(await startConversationsFeature(base, { generations, compose })),
    useInput(startAiNotificationsFeature(base, { ...peers, generations, analyse })),
  ] as const;
}

type Starters = Pick<Lifecycle, 'use' | 'useInput'>;

type Collected = Parameters<typeof startRoutersFeature>[1] &
  Omit<Parameters<typeof startInsightsFeature>[1], 'routers'>;

/** What reads the routers, and what compares the periods that they showed. */
function startCollection(base: Base, { use, useInput }: Starters, peers: Collected) {
  const routers = useInput(startRoutersFeature(base, peers));
  return [routers, use(startInsightsFeature(base, { ...peers, routers }))] as const;
}

type Supplemented = Parameters<typeof startBeaconsFeature>[1] & Parameters<typeof startDataSourcesFeature>[1];

/** Those that add to what was recorded. */
function startSupplements(base: Base, use: Lifecycle['use'], peers: Supplemented & { enrichment: EnrichmentFeature }) {
  return [
    use(startBeaconsFeature(base, peers)),
    use(startLookUpsFeature(base, peers.enrichment)),
    use(startDataSourcesFeature(base, peers)),
  ] as const;
}

/** The files of the hub; damage of any of them is one alarm. */
function startStorage(
  base: Base,
  use: Lifecycle['use'],
  { auth, chat, replace }: { auth: Auth; chat: ChatFeature; replace: ReplaceDatabase },
) {
  const alarm = createAlarm(base, chat);
  return [use(startBackupFeature(base, { auth, alarm, replace })), use(startStorageFeature(base, alarm))] as const;
}

/** Those that need no other one. */
function startIndependentFeatures(base: Base, use: Lifecycle['use']) {
  return [
    use(startReadersFeature(base)),
    use(startClockFeature(base, times)),
    use(startSettingsFeature(base)),
    use(startReputationFeature(base)),
    use(startSinkFeature(base, { closedHours: createClosedHours(base.folder.databaseFile), hourColumns })),
  ] as const;
}

/** The reader of the sink, if one is set. */
function readerOf({
  offline,
  options: { sink },
}: Base): Parameters<typeof startConnectionsFeature>[1]['historySource'] {
  const reader = sink?.reader;
  return sink && reader && !offline ? { hub: sink.hub, open: () => openClient(sink, reader) } : null;
}

const starts = { isWorthKeeping, writeStarts };

/** Alerts of the detection log, and of analyses. */
function* markSent(writer: Writer, keys: readonly string[], now: number): WriteSteps<void> {
  yield* markChatSent(writer, keys);
  yield* markEventsSent(writer, keys, now);
}

function callersOf(auth: Auth): Pick<LiveOptions, 'identify' | 'requireOwnPage'> {
  return {
    identify: (request) => identify(auth, request),
    requireOwnPage: (request, holder) => requireOwnPage(auth, request, holder),
  };
}
