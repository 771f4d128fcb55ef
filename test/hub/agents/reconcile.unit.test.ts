// The comparison of router sessions with those of an Agent: what is the same, what is not guessed, and the reasons.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AgentSide, agentOnlyReason, type RouterSide, routerOnlyReason } from '#hub/agents/reasons.ts';
import { compare, type Session } from '#hub/agents/reconcile.ts';

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

const counts = ({ exact5tuple, unique4tupleTime, ambiguous, routerOnly, agentOnly }: ReturnType<typeof compare>) => [
  ...[exact5tuple, unique4tupleTime, ambiguous, routerOnly.length, agentOnly.length],
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

  test('of several that it could be none is guessed, and none is called missing', () => {
    const agents = [session({ sport: 0 }), session({ sport: 0, lastSeen: now - 58 * minute })];
    expect(counts(compare([session()], agents, range))).toEqual([0, 0, 1, 0, 0]);
  });

  test('a session whose port is known is not one of another port, even where a third one leaves a choice', () => {
    const agents = [session({ sport: 0 }), session({ sport: 0, lastSeen: now - 58 * minute }), session({ sport: 7 })];
    expect(counts(compare([session()], agents, range))).toEqual([0, 0, 1, 0, 1]);
  });

  test('two routers that show one session both match it', () => {
    expect(counts(compare([session(), session()], [session()], range))).toEqual([2, 0, 0, 0, 0]);
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

  test('whatever the sessions: each router session has one outcome, and who matches is listed nowhere', () => {
    const any = fc.record({
      sport: fc.constantFrom(0, 1, 2),
      dport: fc.constantFrom(443, 53),
      firstSeen: fc.integer({ min: now - 10 * minute, max: now }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), fc.array(any, { maxLength: 12 }), (routers, agents) => {
        const [left, right] = [routers.map(session), agents.map(session)];
        const found = compare(left, right, range);
        expect(found.exact5tuple + found.unique4tupleTime + found.ambiguous + found.routerOnly.length).toBe(
          left.length,
        );
        for (const { session: one } of found.routerOnly) {
          const same = right.filter(
            (other) =>
              one.sport !== 0 &&
              one.sport === other.sport &&
              one.dport === other.dport &&
              one.firstSeen - windowMs <= other.lastSeen &&
              other.firstSeen <= one.lastSeen + windowMs,
          );
          expect(same).toEqual([]);
        }
      }),
    );
  });
});

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

  test.each([
    ['clock_skew', unmatched({}, true), { skewMs: 3_600_000 }],
    ['shorter_than_interval', unmatched({}, true), {}],
    [
      'not_yet_delivered',
      unmatched({ firstSeen: now - 3 * minute }),
      { deliveries: Float64Array.of(now - 10 * minute) },
    ],
    ['agent_silent', unmatched(), { deliveries: Float64Array.of(now - minute) }],
    ['protocol_not_observed', unmatched({ proto: 'ICMP' }), {}],
    ['unconnected_udp', unmatched({ proto: 'UDP' }), {}],
    ['shorter_than_interval', unmatched(), {}],
    ['other_namespace', unmatched(), { hasEvents: true }],
  ] as const)('router alone: %s', (reason, one, side) => {
    expect(routerOnlyReason(one, { ...agent, ...side })).toBe(reason);
  });

  test.each([
    ['clock_skew', unmatched({}, true), { skewMs: -3_600_000 }],
    ['local_destination', unmatched({ dst: '192.168.1.9' }), {}],
    ['ipv6_not_translated', unmatched({ dst: '2001:db8::1' }), {}],
    ['not_yet_polled', unmatched({ firstSeen: now - 2 * minute }), {}],
    ['no_router_of_this_address', unmatched({ src: '10.8.0.2' }), {}],
    ['router_silent', unmatched({ firstSeen: now - 400 * minute }), {}],
    ['shorter_than_poll', unmatched(), {}],
  ] as const)('Agent alone: %s', (reason, one, side) => {
    expect(agentOnlyReason(one, { ...router, ...side })).toBe(reason);
  });
});
