// Puts the routers that showed a connection in order, by the links between their flows.
import type { Link, Links } from './links.ts';

/** A router on the way, with the flows that it shows of the connection. */
export interface Stage {
  routerId: string;
  /** At most 20 of them. */
  flows: readonly { id: number; src: string }[];
  flowsTotal: number;
  /** The link of one of the flows to the next router; null for the last router. */
  onward: Link | null;
}

interface ObservedFlow {
  flow: number;
  src: string;
  /** Routers that showed it. */
  observedBy: readonly string[];
}

const maxStages = 10;
const maxFlows = 20;

/** Orders the routers from the inside to the outside; null when the links do not put all of them in one order. */
export function orderStages(links: Links, asked: ObservedFlow): Stage[] | null {
  const { flow, observedBy } = asked;
  const into = links.into(flow);
  const isBehind = (router: string) =>
    into.some(({ innerFlow, outerRouter }) => innerFlow === flow && outerRouter === router);
  for (const head of observedBy.filter((router) => !isBehind(router))) {
    const outwards = walkOutwards(links, asked, head);
    const shown = outwards.filter(({ flows }) => flows[0]?.id === flow).map(({ routerId }) => routerId);
    if (observedBy.every((router) => shown.includes(router))) {
      const whole = [...walkInwards(links, [flow], head), ...outwards];
      // A connection passes no router twice: a router that comes twice means that the tables were read at different times.
      return new Set(whole.map(({ routerId }) => routerId)).size === whole.length ? whole : null;
    }
  }
  return null;
}

function walkOutwards(links: Links, { flow, src }: ObservedFlow, head: string): Stage[] {
  const stages: Stage[] = [];
  let at = { id: flow, src, routerId: head };
  for (;;) {
    const { id, routerId } = at;
    const onward = links.onward(id).find((link) => link.innerRouter === routerId && !isPassed(stages, link)) ?? null;
    stages.push({ routerId, flows: [{ id, src: at.src }], flowsTotal: 1, onward });
    if (onward === null || stages.length === maxStages) {
      return stages;
    }
    at = { id: onward.outerFlow, src: onward.outerSrc, routerId: onward.outerRouter };
  }
}

function isPassed(stages: readonly Stage[], { outerFlow, outerRouter }: Link): boolean {
  return stages.some(({ routerId, flows }) => routerId === outerRouter && flows[0]?.id === outerFlow);
}

/** Follows `flows` inwards. Of several routers, it takes the one whose table showed the link last. */
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
    const behind = new Map<number, string>();
    for (const { innerFlow, innerSrc, innerRouter } of found) {
      if (innerRouter === latest.innerRouter) {
        behind.set(innerFlow, innerSrc);
      }
    }
    const inner = [...behind].slice(0, maxFlows).map(([id, src]) => ({ id, src }));
    stages.unshift({ routerId: latest.innerRouter, flows: inner, flowsTotal: behind.size, onward: latest });
    at = { flows: inner.map(({ id }) => id), routerId: latest.innerRouter };
  }
  return stages;
}
