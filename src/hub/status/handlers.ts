// What the hub says of itself.
import { apiDescription } from '#contract/description.ts';
import { api } from '#contract/index.ts';
import { type FeatureName, featureNames, type statusRoutes } from '#contract/status.ts';
import { describeOpenApi } from '#kernel/http/describe.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { Ctx } from '../context.ts';

const offline = { enabled: false, reason: 'offline_mode' };

export function statusHandlers(ctx: Ctx): Handlers<typeof statusRoutes, Principal> {
  return {
    status: async () => ({
      authenticated: true,
      routerIp: ctx.document.current().mesh?.ip ?? '',
      enrichment: {
        rdap: ctx.lookUps.counter('rdap'),
        geo: ctx.lookUps.counter('geo'),
        ptr: ctx.lookUps.counter('ptr'),
      },
      enrichmentData: ctx.enrichment.state(),
      offlineMode: ctx.offline,
      features: features(ctx),
      version: ctx.version,
      commit: ctx.commit,
      uptimeMs: ctx.clock.now() - ctx.startedAt,
      schemaVersion: ctx.db.schemaVersion(),
      storage: await ctx.diskSpace.look(),
      warnings: [...ctx.warnings()],
      collection: collection(ctx),
    }),
    openapi: () => openApi(ctx.version),
  };
}

/** The document of `/api/openapi.json` and of docs/openapi.json. */
export function openApi(version: string): Record<string, unknown> {
  return describeOpenApi(api, apiDescription(version));
}

function features(ctx: Ctx): Record<FeatureName, { enabled: boolean; reason: string | null }> {
  const absent = { enabled: false, reason: 'not_in_this_version' };
  const all = Object.fromEntries(featureNames.map((name) => [name, absent])) as Record<FeatureName, typeof absent>;
  const { available, reason: missing } = ctx.threat.state();
  const { enabled } = ctx.document.current().oidc;
  return {
    ...all,
    rdap: ctx.lookUps.switchOf('rdap'),
    geoip: ctx.lookUps.switchOf('geo'),
    'dns-ptr': ctx.lookUps.switchOf('ptr'),
    // Card makers come with the program: nothing is ever fetched.
    'oui-update': { enabled: false, reason: 'embedded_data' },
    oidc: ctx.offline ? offline : { enabled, reason: enabled ? null : 'not_configured' },
    'threat-intel': { enabled: available, reason: missing },
    'manual-threat-lookup': ctx.offline ? offline : { enabled: true, reason: null },
  };
}

function collection(ctx: Ctx) {
  const statuses = ctx.registry.list().map(ctx.poller.status);
  const successes = statuses.map(({ lastSuccessAt }) => lastSuccessAt).filter((at) => at !== null);
  return {
    routers: statuses.length,
    ready: statuses.filter(({ state }) => state === 'ready').length,
    failed: statuses.filter(({ state }) => state === 'failed' || state === 'reconnecting').length,
    lastSuccessAt: successes.length > 0 ? Math.max(...successes) : null,
  };
}
