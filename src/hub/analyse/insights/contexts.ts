// Reads what an analysis would send. It comes from this hub alone.
import type { Facts } from '#contract/ai.ts';
import { limits } from '#contract/limits.ts';
import { decodeJson, readJsonText } from '#kernel/http/ready-body.ts';
import { canonicalIp, unbracketed } from '#kernel/net/address.ts';
import type { Base } from '../../base/feature.ts';
import type { Settings } from '../../base/settings/schema.ts';
import type { MeshFeature } from '../../collect/mesh/feature.ts';
import type { Activity } from '../../record/connections/query/activity.ts';
import type { DraftFacts } from '../note-drafts/draft-facts.ts';
import { buildContext } from './context.ts';
import { buildDraftContext } from './draft-context.ts';
import type { FactsHandler } from './facts.ts';
import { type Period, resolvePeriod } from './period.ts';

export interface Scope {
  sourceKind?: 'router' | 'agent' | undefined;
  sourceId?: string | undefined;
}

/** What of the network may be sent to a provider. */
export type Contexts = ReturnType<typeof createContexts>;

interface ContextsOptions extends Pick<Base, 'clock' | 'readers'> {
  settings: () => Settings;
  facts: FactsHandler;
  mesh: Pick<MeshFeature, 'network'>;
}

/** Reads this many times the rows that are sent: some of them are withheld. */
const spare = 4;

export function createContexts({ clock, readers: { reads }, settings, facts, mesh }: ContextsOptions) {
  const readDevices = async (observerId: string | undefined, signal: AbortSignal) => {
    // `notes` is empty: what people wrote about devices is not sent.
    const asked = { now: clock.now(), includeArchived: true, observerId, notes: {} };
    return decodeJson(await reads.ask('devices', asked, signal)).devices;
  };
  const readActivity = async ({ from, to, ...scope }: Period & Scope, signal: AbortSignal) => {
    const most = { maxThreats: spare * limits.aiThreats, maxSources: spare * limits.aiThreatDevices };
    return JSON.parse(
      readJsonText(await reads.ask('periodActivity', { period: { from, to }, scope, ...most }, signal)),
    ) as Activity;
  };
  return {
    /** Of a device for the draft of its note; null of one that a router or a mesh node is managed at. */
    draft: (facts: DraftFacts) => buildDraftContext(facts, managedAddresses(settings())),
    /** `to` is now when absent. Throws AppError `invalid_body` for a period that is empty or too long. */
    resolvePeriod: (asked: { from: number; to?: number | undefined }) =>
      resolvePeriod(asked, clock.now(), 'invalid_body'),
    /** Of a period as `resolvePeriod` makes it. Rejects with AppError `invalid_query` when the scope names nothing. */
    async read({ from, to, sourceKind, sourceId }: Period & Scope, signal: AbortSignal) {
      const counted: Facts = await facts({ query: { from, to, sourceKind, sourceId }, signal });
      const activity = await readActivity({ from, to, sourceKind, sourceId }, signal);
      const devices = await readDevices(undefined, signal);
      const observed = sourceId === undefined ? null : await readDevices(sourceId, signal);
      return buildContext({
        facts: counted,
        activity,
        devices,
        network: mesh.network(),
        managed: managedAddresses(settings()),
        observed: observed?.map(({ deviceId }) => deviceId) ?? null,
      });
    },
  };
}

/** Where routers and the mesh access point are managed; canonical. */
function managedAddresses({ routers, mesh }: Settings): string[] {
  const texts = [...routers.map(({ ip }) => ip), ...(mesh === null ? [] : [mesh.ip])];
  return texts.flatMap((text) => canonicalIp(text) ?? canonicalIp(unbracketed(text.replace(/:\d+$/, ''))) ?? []);
}
