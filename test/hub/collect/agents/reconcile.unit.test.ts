// The comparison of router sessions with those of an Agent: what is the same, what is not guessed, and the reasons.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AgentSide, agentOnlyReason, type RouterSide, routerOnlyReason } from '#hub/collect/agents/reasons.ts';
import { compare, type Session } from '#hub/collect/agents/reconcile.ts';

const now = 1_790_000_000_000;
const minute = 60_000;
const windowMs = 90_000;
const range = { from: 0, to: now, windowMs };

function session(more: Partial<Session> = {}): Session {
  const at = more.firstSeen ?? now - 60 * minute;
  return {
    ...{ src: '192.168.1.2', sport: 50_000, dst: '203.0.113.80', dport: 443, proto: 'TCP' },
    ...{ firstSeen: at, lastSeen: at + minute, ...more },
  };
}

const counts = ({ both, routerOnly, agentOnly }: ReturnType<typeof compare>) => [
  ...[both.exact5tuple, both.unique4tupleTime, both.ambiguous, routerOnly.length, agentOnly.length],
];

describe('what is one session', () => {
  test.each([
    ['all five parts', session(), session(), [1, 0, 0, 0, 0]],
    ['90 s apart', session(), session({ firstSeen: now - 60 * minute + minute + windowMs }), [1, 0, 0, 0, 0]],
    [
      'more than 90 s apart',
      session(),
      session({ firstSeen: now - 60 * minute + minute + windowMs + 1 }),
      [0, 0, 0, 1, 1],
    ],
    ['the Agent knows no port', session(), session({ sport: 0 }), [0, 1, 0, 0, 0]],
    ['the router shows no port', session({ sport: 0 }), session(), [0, 1, 0, 0, 0]],
    ['another port', session(), session({ sport: 50_001 }), [0, 0, 0, 1, 1]],
    ['another destination', session(), session({ dst: '203.0.113.81' }), [0, 0, 0, 1, 1]],
    ['another protocol', session(), session({ proto: 'UDP' }), [0, 0, 0, 1, 1]],
  ])('%s', (_, router, agent, wanted) => {
    expect(counts(compare([router], [agent], range))).toEqual(wanted);
  });

  test('at the edge of the range each is compared with what lies outside, which is neither counted nor listed', () => {
    const from = now - 60 * minute;
    const [outside, inside] = [
      session({ firstSeen: from - 2 * minute, lastSeen: from - 1 }),
      session({ firstSeen: from - 1, lastSeen: from }),
    ];
    const edge = { ...range, from };
    expect(counts(compare([outside], [inside], edge))).toEqual([1, 0, 0, 0, 0]);
    expect(counts(compare([inside], [outside], edge))).toEqual([1, 0, 0, 0, 0]);
    expect(counts(compare([outside], [outside], edge))).toEqual([0, 0, 0, 0, 0]);
    expect(counts(compare([outside], [], edge))).toEqual([0, 0, 0, 0, 0]);
    expect(counts(compare([], [outside], edge))).toEqual([0, 0, 0, 0, 0]);
  });

  test('whatever the sessions: the same as when each is compared with each, one after the other', () => {
    const any = fc.record({
      sport: fc.constantFrom(0, 1, 2),
      dport: fc.constantFrom(443, 53),
      proto: fc.constantFrom('TCP', 'TCP', 'UDP'),
      firstSeen: fc.integer({ min: 0, max: 12 }).map((half) => now - 10 * minute + (half * windowMs) / 2),
    });
    const asked = fc.record({ from: fc.constantFrom(0, now - 9 * minute), to: fc.constantFrom(now - 5 * minute, now) });
    const sessions = fc.array(any, { maxLength: 12 });
    fc.assert(
      fc.property(sessions, sessions, asked, (routers, agents, { from, to }) => {
        const [left, right] = [routers.map(session), agents.map(session)];
        const wanted = comparedOneByOne(left, right, { from, to });
        expect(compare(left, right, { from, to, windowMs })).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });
});

/** The rules as sentences, without an index: quadratic, and plain. */
function comparedOneByOne(routers: Session[], agents: Session[], { from, to }: { from: number; to: number }) {
  const isAsked = (one: Session) => one.lastSeen >= from && one.firstSeen <= to;
  const isNear = (a: Session, b: Session) =>
    Math.max(a.firstSeen, b.firstSeen) - Math.min(a.lastSeen, b.lastSeen) <= windowMs;
  const sameFour = (a: Session, b: Session) => a.dport === b.dport && a.proto === b.proto;
  const sameFive = (a: Session, b: Session) => sameFour(a, b) && a.sport === b.sport;
  const [matched, ambiguous] = [new Set<Session>(), new Set<Session>()];
  const counts = { exact5tuple: 0, unique4tupleTime: 0, ambiguous: 0 };
  for (const router of routers.filter(({ sport }) => sport !== 0)) {
    const agent = agents.find((one) => sameFive(router, one) && isNear(router, one));
    if (agent) {
      counts.exact5tuple += Number(isAsked(router) || isAsked(agent));
      matched.add(router).add(agent);
    }
  }
  for (const router of routers.filter((one) => !matched.has(one))) {
    const possible = agents.filter(
      (one) =>
        sameFour(router, one) && isNear(router, one) && !matched.has(one) && (router.sport === 0 || one.sport === 0),
    );
    const [agent] = possible;
    if (agent && possible.length === 1) {
      counts.unique4tupleTime += Number(isAsked(router) || isAsked(agent));
      matched.add(router).add(agent);
    } else if (agent) {
      counts.ambiguous += Number(isAsked(router));
      [router, ...possible].forEach((one) => void ambiguous.add(one));
    }
  }
  const alone = (these: Session[], others: Session[]) =>
    these
      .filter((one) => isAsked(one) && !matched.has(one) && !ambiguous.has(one))
      .map((one) => ({ session: one, isElsewhere: one.sport !== 0 && others.some((other) => sameFive(one, other)) }));
  return { both: counts, routerOnly: alone(routers, agents), agentOnly: alone(agents, routers) };
}

describe('reasons', () => {
  const agent: AgentSide = {
    deliveries: Float64Array.from({ length: 240 }, (_, index) => now - (240 - index) * minute),
    ...{ hasEvents: false, skewMs: 0, now },
  };
  const router: RouterSide = {
    sightings: new Map([
      ['192.168.1.2', Float64Array.from({ length: 24 }, (_, index) => now - (24 - index) * 10 * minute)],
    ]),
    ...{ pollMs: minute, skewMs: 0, now },
  };
  const unmatched = (more: Partial<Session> = {}, isElsewhere = false) => ({ session: session(more), isElsewhere });

  const ends = (lastSeen: number, more: Partial<Session> = {}) => ({
    session: { ...session(), firstSeen: lastSeen - minute, lastSeen, ...more },
    isElsewhere: false,
  });
  const deliveriesAt = (...at: number[]) => ({ ...agent, deliveries: Float64Array.from(at) });
  const five = 5 * minute;

  test.each([
    [
      'a clock that is 90 s off is right enough',
      unmatched({}, true),
      { ...agent, skewMs: 90_000 },
      'shorter_than_interval',
    ],
    ['one that is more off is not', unmatched({}, true), { ...agent, skewMs: 90_001 }, 'clock_skew'],
    ['nor is one that is behind', unmatched({}, true), { ...agent, skewMs: -90_001 }, 'clock_skew'],
    ['other ports tell nothing of clocks', unmatched(), { ...agent, skewMs: 3_600_000 }, 'shorter_than_interval'],
    ['an unknown clock is right', unmatched({}, true), { ...agent, skewMs: null }, 'shorter_than_interval'],
    ['a protocol without ports', unmatched({ proto: 'ICMP' }), agent, 'protocol_not_observed'],
    ['UDP', unmatched({ proto: 'UDP' }), agent, 'unconnected_udp'],
    ['an Agent with events', unmatched(), { ...agent, hasEvents: true }, 'other_namespace'],
    ['what ended five minutes ago', ends(now - five), deliveriesAt(), 'agent_silent'],
    ['what ended later', ends(now - five + 1), deliveriesAt(), 'not_yet_delivered'],
    ['a delivery at its very end', ends(now - minute), deliveriesAt(now - minute), 'shorter_than_interval'],
    ['a delivery before its end', ends(now - minute), deliveriesAt(now - minute - 1), 'not_yet_delivered'],
    [
      'a delivery five minutes before',
      ends(now - 20 * minute),
      deliveriesAt(now - 26 * minute),
      'shorter_than_interval',
    ],
    ['one before that', ends(now - 20 * minute), deliveriesAt(now - 26 * minute - 1), 'agent_silent'],
    ['one five minutes after', ends(now - 20 * minute), deliveriesAt(now - 15 * minute), 'shorter_than_interval'],
    ['one after that', ends(now - 20 * minute), deliveriesAt(now - 15 * minute + 1), 'agent_silent'],
  ] as const)('router alone: %s', (_, one, side, reason) => {
    expect(routerOnlyReason(one, side)).toBe(reason);
  });

  const seenAt = (...at: number[]) => ({ ...router, sightings: new Map([['192.168.1.2', Float64Array.from(at)]]) });
  const half = 30 * minute;
  const old = now - 200 * minute;

  test.each([
    [
      'a clock that is 90 s off is right enough',
      unmatched({}, true),
      { ...router, skewMs: 90_000 },
      'shorter_than_poll',
    ],
    ['one that is more off is not', unmatched({}, true), { ...router, skewMs: 90_001 }, 'clock_skew'],
    ['other ports tell nothing of clocks', unmatched(), { ...router, skewMs: 90_001 }, 'shorter_than_poll'],
    ['an unknown clock is right', unmatched({}, true), { ...router, skewMs: null }, 'shorter_than_poll'],
    ['a clock that is behind', unmatched({}, true), { ...router, skewMs: -90_001 }, 'clock_skew'],
    ['the local network', unmatched({ dst: '192.168.1.9' }), router, 'local_destination'],
    ['IPv6', unmatched({ dst: '2001:db8::1' }), router, 'ipv6_not_translated'],
    ['an address of no router', unmatched({ src: '10.8.0.2' }), router, 'no_router_of_this_address'],
    ['two polls ago', ends(now - 2 * minute), router, 'shorter_than_poll'],
    ['less', ends(now - 2 * minute + 1), router, 'not_yet_polled'],
    ['half an hour before its start', ends(old), seenAt(old - minute - half), 'shorter_than_poll'],
    ['more before', ends(old), seenAt(old - minute - half - 1), 'router_silent'],
    ['half an hour after its end', ends(old), seenAt(old + half), 'shorter_than_poll'],
    ['more after', ends(old), seenAt(old + half + 1), 'router_silent'],
  ] as const)('Agent alone: %s', (_, one, side, reason) => {
    expect(agentOnlyReason(one, side)).toBe(reason);
  });
});
