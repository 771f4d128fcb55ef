// Checks that the hub answers and its routers deliver.
import { limits } from '#contract/limits.ts';
import { type Check, fail, pass, passUnless } from '../check.ts';
import { toMembers } from '../json.ts';
import type { ProbeContext } from './context.ts';
import { askHub, askHubAnonymously, parseInstant } from './hub.ts';
import { findStatusFault } from './status.ts';

function health(id: string, path: string, asks: string): Check<ProbeContext> {
  return {
    id,
    asks,
    category: 'localCollection',
    remedy: 'start the hub, and look at its log',
    judge: async (context) => passUnless(findStatusFault(await askHubAnonymously(context, path), 200)),
  };
}

const routers: Check<ProbeContext> = {
  id: 'hub.routers',
  asks: 'at least one router is enabled, and each delivered a short while ago',
  category: 'localCollection',
  needs: ['hub.ready'],
  remedy: 'look at GET /api/routers: a router that is not ready says why',
  async judge(context) {
    const answer = await askHub(context, 'api/routers');
    if (answer.status !== 200) {
      return fail(`the hub answers ${answer.status}`);
    }
    const { routers: listed } = toMembers(answer.json);
    const enabled = (Array.isArray(listed) ? listed : []).map(toMembers).filter((router) => router.enabled === true);
    context.seen.enabledRouters = enabled.length;
    const oldest = context.now() - context.config.MCP_GATE_ROUTER_MAX_AGE_MS;
    const stale = enabled.filter(
      (router) => router.state !== 'ready' || !(parseInstant(router.lastSuccessAt) >= oldest),
    );
    if (enabled.length === 0) {
      return fail('no router is enabled');
    }
    const latest = context.now() + limits.mcpClockSkewMs;
    const early = enabled.filter((router) => parseInstant(router.lastSuccessAt) > latest);
    if (early.length > 0) {
      return fail(`${early.length} of ${enabled.length} enabled routers delivered in the future: a clock is wrong`);
    }
    return stale.length === 0 ? pass : fail(`${stale.length} of ${enabled.length} enabled routers did not deliver`);
  },
};

export const localChecks = [
  health('hub.health', 'healthz', 'the hub is alive'),
  health('hub.ready', 'readyz', 'the hub is ready'),
  routers,
] as const;
