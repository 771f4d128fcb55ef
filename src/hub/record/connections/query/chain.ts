// Orders the routers that a connection passes. A link joins its flow at an inner router with its flow at the next one
// outwards. Where the inner router does not translate the source, both routers show the same flow.
import type { Link, Links } from './links.ts';

/** A router on the path of a connection. */
export interface Stage {
  routerId: string;
  /** Flows at this router that the connection may be; `src` is their source address. At most 20. */
  flows: readonly { id: number; src: string }[];
  flowsTotal: number;
  /** The link of one of the flows to the next router outwards; null when there is none. */
  onward: Link | null;
}

interface ObservedFlow {
  /** Id of the flow. */
  flow: number;
  src: string;
  /** Ids of the routers that showed the flow. */
  observedBy: readonly string[];
}

/** Most stages in each direction. */
const maxStages = 10;
const maxFlows = 20;

/** Orders the routers from the inside to the outside; null when links are missing or go in a circle. */
export function orderStages(links: Links, observed: ObservedFlow): Stage[] | null {
  const { flow, observedBy } = observed;
  const into = links.into(flow);
  const hasInnerRouter = (router: string) =>
    into.some(({ innerFlow, outerRouter }) => innerFlow === flow && outerRouter === router);
  for (const innermost of observedBy.filter((router) => !hasInnerRouter(router))) {
    const outwards = walkOutwards(links, observed, innermost);
    const ordered = outwards.filter(({ flows }) => flows[0]?.id === flow).map(({ routerId }) => routerId);
    if (observedBy.every((router) => ordered.includes(router))) {
      const whole = [...walkInwards(links, [flow], innermost), ...outwards];
      // A connection passes no router twice. A circle appears when the tables were read at different times.
      return new Set(whole.map(({ routerId }) => routerId)).size === whole.length ? whole : null;
    }
  }
  return null;
}

/** Returns the stage of `start` and those further outside. */
function walkOutwards(links: Links, { flow, src }: ObservedFlow, start: string): Stage[] {
  const stages: Stage[] = [];
  let at = { id: flow, src, routerId: start };
  for (;;) {
    const { id, routerId } = at;
    const onward = links.onward(id).find((link) => link.innerRouter === routerId && !hasStage(stages, link)) ?? null;
    stages.push({ routerId, flows: [{ id, src: at.src }], flowsTotal: 1, onward });
    if (onward === null || stages.length === maxStages) {
      return stages;
    }
    at = { id: onward.outerFlow, src: onward.outerSrc, routerId: onward.outerRouter };
  }
}

function hasStage(stages: readonly Stage[], { outerFlow, outerRouter }: Link): boolean {
  return stages.some(({ routerId, flows }) => routerId === outerRouter && flows[0]?.id === outerFlow);
}

/** Returns the stages further inside than `routerId`. Of several inner routers, takes the one with the latest link. */
function walkInwards(links: Links, flows: readonly number[], routerId: string): Stage[] {
  const stages: Stage[] = [];
  let at = { flows, routerId };
  while (stages.length < maxStages) {
    const found = at.flows
      .flatMap((flow) => links.into(flow))
      .filter(({ innerFlow, outerFlow, outerRouter }) => innerFlow !== outerFlow && outerRouter === at.routerId)
      .sort((one, other) => other.seenAt - one.seenAt);
    const [latest] = found;
    if (latest === undefined) {
      break;
    }
    const srcByFlow = new Map<number, string>();
    for (const { innerFlow, innerSrc, innerRouter } of found) {
      if (innerRouter === latest.innerRouter) {
        srcByFlow.set(innerFlow, innerSrc);
      }
    }
    const inner = [...srcByFlow].slice(0, maxFlows).map(([id, src]) => ({ id, src }));
    stages.unshift({ routerId: latest.innerRouter, flows: inner, flowsTotal: srcByFlow.size, onward: latest });
    at = { flows: inner.map(({ id }) => id), routerId: latest.innerRouter };
  }
  return stages;
}
