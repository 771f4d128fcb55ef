// The routers as a feature: records, polls, and their public status.
import { limits } from '#contract/limits.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { Telling } from '../../base/told-event.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { Enrichment } from '../../identify/enrichment/enrichment.ts';
import type { Live } from '../../notify/live/live.ts';
import type { ConnectionsFeature } from '../../record/connections/feature.ts';
import type { Marks } from '../../record/connections/privacy/marks.ts';
import type { CoverageFeature } from '../../record/coverage/feature.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { toRouterCoverage } from './coverage.ts';
import { createDetect } from './detect.ts';
import { routerHandlers } from './handlers.ts';
import { describeRouters, PollCounts } from './metrics.ts';
import { createOutages } from './outages.ts';
import { startPoller } from './poller.ts';
import { getRouterName, type PublicRouter, toPublicRouter } from './public-router.ts';
import { createRegistry } from './registry.ts';
import { type RouterStatus, RouterStatuses } from './runtime.ts';
import { createStatusFeed } from './status-feed.ts';

interface Peers {
  coverage: Pick<CoverageFeature, 'coverPoll'>;
  connections: Pick<ConnectionsFeature, 'record' | 'writeTranslated'>;
  devices: Pick<Devices, 'report'>;
  enrichment: Pick<Enrichment, 'ready'>;
  live: Pick<Live, 'publish'>;
  mesh: Mesh;
  telling: Telling;
  marks: Marks;
}

export interface RoutersFeature extends Feature<Pick<HubHandlers, 'routers'>> {
  /** Every router as who may only read sees it, with what people call it. */
  list(): (PublicRouter & { name: string })[];
}

export function startRoutersFeature(
  { clock, log, db, settings, options }: Base,
  { connections, coverage, devices, enrichment, live, mesh, telling, marks }: Peers,
): RoutersFeature {
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const settleMs = options.routerSettleMs;
  const intervalMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const registry = createRegistry({ document: settings, clock, allowLoopback });
  const statuses = new RouterStatuses();
  const polls = new PollCounts();
  const outages = createOutages({ clock, db, log, telling, routers: registry.list });
  const shown = (record: RouterRecord, withUser: boolean) => toPublicRouter(record, statuses.of(record), withUser);
  const publishStatus = createStatusFeed(live, (withUser) => registry.list().map((record) => shown(record, withUser)));
  const poller = startPoller({
    registry,
    marks,
    statuses,
    clock,
    log,
    intervalMs,
    coverPoll: coverage.coverPoll,
    settleMs,
    record: connections.record,
    writeTranslated: connections.writeTranslated,
    async reportLan(report) {
      await enrichment.ready;
      await devices.report(report);
    },
    onPolled: (id, outcome) => polls.add(id, outcome),
    onReached: outages.note,
    onStatus: publishStatus,
  });
  const detect = createDetect({ registry, clock, settleMs });
  const startedAt = clock.now();
  const parts = { registry, statuses, poller, detect, document: settings, mesh, allowLoopback, clock, startedAt };
  return {
    list: () => registry.list().map((record) => ({ ...shown(record, false), name: getRouterName(record) })),
    handlers: { routers: routerHandlers(parts) },
    status: () => ({ collection: summariseCollection(registry.list().map((record) => statuses.of(record))) }),
    metrics: () => describeRouters(registry.list(), statuses, polls),
    coverage: () => toRouterCoverage({ ...parts, findUnseenCounts: poller.findUnseenCounts }, intervalMs),
    async settled() {
      await poller.settled();
      await outages.settled();
    },
    async [Symbol.asyncDispose]() {
      await poller[Symbol.asyncDispose]();
      await outages.settled();
    },
  };
}

function summariseCollection(statuses: readonly RouterStatus[]) {
  const successes = statuses.map(({ lastSuccessAt }) => lastSuccessAt).filter((at) => at !== null);
  return {
    routers: statuses.length,
    ready: statuses.filter(({ state }) => state === 'ready').length,
    failed: statuses.filter(({ state }) => state === 'failed' || state === 'reconnecting').length,
    lastSuccessAt: successes.length > 0 ? Math.max(...successes) : null,
  };
}
