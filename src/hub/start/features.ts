// The features of the hub in the order in which they start. Each gets `base` and the earlier features that it needs.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import { startAnalysisFeature } from '../analyse/ai/analysis/feature.ts';
import { startConversationsFeature } from '../analyse/ai/conversations/feature.ts';
import { createReadHistory, createReadTurns } from '../analyse/ai/conversations/history.ts';
import { startAiFeature } from '../analyse/ai/feature.ts';
import { markEventsSent } from '../analyse/ai/notifications/event-log.ts';
import { startAiNotificationsFeature } from '../analyse/ai/notifications/feature.ts';
import { openCatalog } from '../analyse/ai/pricing/catalog.ts';
import { startAiUsageFeature } from '../analyse/ai/usage/feature.ts';
import { startBeaconsFeature } from '../analyse/beacons/feature.ts';
import { isWorthKeeping, writeStarts } from '../analyse/beacons/start-recorder.ts';
import { startDetectionPreviewFeature } from '../analyse/detection-preview/feature.ts';
import { type InsightsFeature, startInsightsFeature } from '../analyse/insights/feature.ts';
import { startNoteDraftsFeature } from '../analyse/note-drafts/feature.ts';
import type { Auth } from '../base/auth/auth.ts';
import { startAuthFeature } from '../base/auth/feature.ts';
import { identify, requireOwnPage } from '../base/auth/principal.ts';
import { startClockFeature } from '../base/clock/feature.ts';
import { readLastSteadyTime } from '../base/clock/watch.ts';
import type { HubOptions } from '../base/config.ts';
import { type Base, type Feature, type HubHandlers, joinHandlers } from '../base/feature.ts';
import { startReadersFeature } from '../base/readers/feature.ts';
import type { ReaderPools } from '../base/readers/pools.ts';
import { openDocument } from '../base/settings/document.ts';
import { startSettingsFeature } from '../base/settings/feature.ts';
import { secretKey } from '../base/settings/secret-key.ts';
import { createSignals } from '../base/signals.ts';
import { startBackupFeature } from '../base/storage/backup/feature.ts';
import { readInventory } from '../base/storage/backup/inventory.ts';
import { type Alarm, createAlarm } from '../base/storage/damage/alarm.ts';
import { openDatabase } from '../base/storage/database.ts';
import { startStorageFeature } from '../base/storage/feature.ts';
import type { ReplaceDatabase } from '../base/storage/restore/replacement.ts';
import type { Telling } from '../base/told-event.ts';
import { startAgentsFeature } from '../collect/agents/feature.ts';
import { createAgentRegistry } from '../collect/agents/registry.ts';
import { createSessionLog } from '../collect/agents/session-log.ts';
import { startDataSourcesFeature } from '../collect/data-sources/feature.ts';
import { startMeshFeature } from '../collect/mesh/feature.ts';
import { startRoutersFeature } from '../collect/routers/feature.ts';
import { markChatSent } from '../identify/detection/detection-log.ts';
import { startDetectionFeature } from '../identify/detection/feature.ts';
import { changeDetection } from '../identify/detection/handlers.ts';
import { startDevicesFeature } from '../identify/devices/feature.ts';
import { startEnrichmentFeature } from '../identify/enrichment/feature.ts';
import { startLookUpsFeature } from '../identify/enrichment/remote/feature.ts';
import { type NotesFeature, startNotesFeature } from '../identify/notes/feature.ts';
import { startBlockListFeature } from '../identify/threat/block-list/feature.ts';
import { startThreatFeature } from '../identify/threat/feature.ts';
import { changeFeeds } from '../identify/threat/handlers.ts';
import { startReputationFeature } from '../identify/threat/reputation/feature.ts';
import { startAssistantsFeature } from '../notify/assistants/feature.ts';
import { type ChatFeature, startChatFeature } from '../notify/chat/feature.ts';
import { startDestinationsFeature } from '../notify/destinations/feature.ts';
import { startLiveFeature } from '../notify/live/feature.ts';
import type { Live, LiveOptions } from '../notify/live/live.ts';
import { createAnnouncer } from '../record/connections/announce.ts';
import { createClosedHours } from '../record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '../record/connections/closed-hours/row-text.ts';
import { startConnectionsFeature } from '../record/connections/feature.ts';
import { startPrivacyFeature } from '../record/connections/privacy/feature.ts';
import { createMarks, type Marks } from '../record/connections/privacy/marks.ts';
import { createObservers } from '../record/connections/store/observer-set.ts';
import { createSourceLabels } from '../record/connections/store/source-labels.ts';
import { rejudgeFlows } from '../record/connections/upkeep/rejudge.ts';
import { startCoverageFeature } from '../record/coverage/feature.ts';
import { openClient } from '../record/sink/client.ts';
import { startSinkFeature } from '../record/sink/feature.ts';
import { startDoctorFeature } from './doctor/feature.ts';
import { startMetricsFeature } from './metrics/feature.ts';
import { startStatusFeature } from './status/feature.ts';
import { times } from './times.ts';

/** Started features, and what ends them. `inputs` start work by themselves or hold requests open: they end first. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle() {
  const inputs = new AsyncDisposableStack();
  const opened = new AsyncDisposableStack();
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
  // Disposed of twice, since the caller opened them: here they close before the database does.
  opened.use(readers);
  const steadyClock = createSteadyClock(clock);
  steadyClock.raiseTo(readLastSteadyTime(db) ?? 0);
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

/** What the hub gives its features. */
export interface FeatureHost {
  /** Where the hub listens. */
  url: URL;
  /** Ends all features and starts them again with another database. */
  replace: ReplaceDatabase;
}

/** Starts every feature. `useInput` registers a feature that must end before the others. */
export async function startFeatures(base: Base, { url, replace }: FeatureHost, lifecycle: Lifecycle) {
  const { db, settings, folder } = base;
  const { started, use, useInput } = lifecycle;

  const registry = createAgentRegistry(base);
  const { auth, ...authentication } = use(await startAuthFeature(base, url, registry));
  const live = useInput(startLiveFeature(base, callersOf(auth)));

  const observers = createObservers(db, () => settings.current().routers);
  const { chat, telling, alerting, alarm, tellers } = startTellers(base, lifecycle);
  const detection = use(startDetectionFeature(base, { ...alerting, live, observers }));
  const announcer = createAnnouncer({ ...base, live, detection });

  const enrichment = use(startEnrichmentFeature(base));
  const threat = use(await startThreatFeature(base, { live, enrichment, announcer, detection, rejudgeFlows }));
  const notes = use(await startNotesFeature(base, live));
  const writers = { sourceLabels: createSourceLabels, onMade: detection.newDevices };
  const devices = use(startDevicesFeature(base, { live, observers, notes, enrichment, ...writers }));
  const mesh = use(startMeshFeature(base, { live, devices }));

  const marks = createMarks({ db, settings, notes: notes.all });
  const sessionLog = createSessionLog(db);
  const starts = { isWorthKeeping, writeStarts };
  const recording = { marks, observers, devices, detection, enrichment, threat, announcer, starts, sessionLog };
  const coverage = use(startCoverageFeature(base, () => started));
  const sources = { coverage, historySource: historySource(base) };
  const connections = use(startConnectionsFeature(base, { ...recording, ...sources }));

  const readers = use(startReadersFeature(base));
  const clock = use(startClockFeature(base, times));
  const document = use(startSettingsFeature(base));
  const reputation = use(startReputationFeature(base));
  const blockList = use(startBlockListFeature(base));
  const hours = { closedHours: createClosedHours(folder.databaseFile), hourColumns };
  const sink = use(startSinkFeature(base, { ...hours, predictRemoval: connections.predictRemoval }));

  const agents = use(startAgentsFeature(base, { ...recording, auth, registry, connections }));
  const storage = startStorageFeatures(base, { auth, alarm, marks, replace }, use);
  const beacons = use(startBeaconsFeature(base, { detection, live }));
  const assistants = use(startAssistantsFeature(base));
  const lookUps = use(startLookUpsFeature(base, enrichment));
  const dataSources = use(startDataSourcesFeature(base, { enrichment, devices, marks, connections }));
  const routers = useInput(startRoutersFeature(base, { ...recording, coverage, connections, live, mesh, telling }));

  const insights = use(startInsightsFeature(base, { connections, coverage, threat, routers, mesh }));
  const aiPeers: AiPeers = { auth, live, chat, telling, notes, contexts: insights.contexts };
  const aiFeatures = await startAiFeatures(base, aiPeers, lifecycle);
  const status = use(startStatusFeature(base, () => started));

  const handlers: HubHandlers = joinHandlers([
    authentication,
    live,
    ...tellers,
    detection,
    threat,
    notes,
    devices,
    mesh,
    coverage,
    connections,
    readers,
    clock,
    document,
    reputation,
    blockList,
    sink,
    agents,
    ...storage,
    beacons,
    use(startDetectionPreviewFeature(base, { changeDetection, changeFeeds })),
    assistants,
    lookUps,
    dataSources,
    routers,
    insights,
    ...aiFeatures,
    status,
    use(startMetricsFeature(base, () => started)),
    use(startDoctorFeature(base, () => handlers)),
  ]);
  return { base, auth, handlers, started };
}

/** Starts the features that tell people of events, and returns what other features need to tell theirs. */
function startTellers(base: Base, { use }: Pick<Lifecycle, 'use'>) {
  const chat = use(startChatFeature(base, markSent));
  const destinations = use(startDestinationsFeature(base, { chat }));
  const { telling } = destinations;
  const alerting = { telling, cooldownMs: chat.cooldownMs, pruneOutbox: destinations.prune };
  return { chat, telling, alerting, alarm: createAlarm(base, telling), tellers: [chat, destinations] as const };
}

/** Starts the features about what is kept: backups, the state of the database, and privacy rules. */
function startStorageFeatures(
  base: Base,
  { auth, alarm, marks, replace }: { auth: Auth; alarm: Alarm; marks: Marks; replace: ReplaceDatabase },
  use: Lifecycle['use'],
) {
  const countBackups = () => readInventory(base.folder.backups).length;
  const privacy = use(startPrivacyFeature(base, { auth, marks, countBackups }));
  const backup = use(startBackupFeature(base, { auth, alarm, replace }));
  const storage = use(startStorageFeature(base, alarm));
  return [privacy, backup, storage] as const;
}

/**
 * Features that send facts of the network or words of people to the chosen AI provider: on request, or by the rules of AI
 * notifications. A cloud provider gets them only with the consent that the settings hold.
 */
async function startAiFeatures(
  base: Base,
  { auth, live, chat, telling, notes, contexts }: AiPeers,
  { use, useInput }: Pick<Lifecycle, 'use' | 'useInput'>,
) {
  const prices = openCatalog(base.options.priceCatalog);
  const ai = use(startAiFeature(base, { prices, auth }));
  const { generations } = ai;
  const readHistory = createReadHistory(base.db, createReadTurns(base.readers.reads));
  const analysis = use(startAnalysisFeature(base, { contexts, generations, prices, readHistory }));
  const { compose, draftWriter: writer } = analysis;
  // Ends the requests to providers that are under way, before the hub waits for them.
  useInput({ [Symbol.asyncDispose]: () => generations.end() });
  const drafts = use(startNoteDraftsFeature(base, { notes, contexts, writer }));
  const usage = use(startAiUsageFeature(base, prices));
  const conversations = useInput(await startConversationsFeature(base, { generations, compose }));
  const aiNotifications = useInput(startAiNotificationsFeature(base, { generations, compose, chat, telling, live }));
  return [ai, analysis, drafts, usage, conversations, aiNotifications] as const;
}

interface AiPeers extends Pick<InsightsFeature, 'contexts'> {
  auth: Auth;
  live: Live;
  chat: ChatFeature;
  telling: Telling;
  notes: NotesFeature;
}

/** Reads the hours that were sent to ClickHouse; null when no reader is configured. */
function historySource({
  offline,
  options: { sink },
}: Base): Parameters<typeof startConnectionsFeature>[1]['historySource'] {
  const reader = sink?.reader;
  return sink && reader && !offline ? { hub: sink.hub, open: () => openClient(sink, reader) } : null;
}

/** Marks delivered alerts in the detection log and in the log of AI notifications. */
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
