// What expires, when the clock is set: nothing is accepted for longer than it was promised, in time that passed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientError } from '#kernel/http/client.ts';
import { agentFacts, applyFor } from '../support/agents.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { budget, runs } from '../support/property-runs.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const day = 86_400_000;

/** Lets time pass minute by minute, so that the hub looks at its clock as it would. */
async function pass(lab: Lab<never>, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    await lab.advance(minute);
  }
}

for (const [what, ahead] of [
  ['was ahead and came back', 30 * day],
  ['is set back by mistake', 0],
] as const) {
  verifies(
    'rest.enrolment.code-10-minutes rest.enrolment.request-expires',
    `a code and a request end after ten minutes when the clock ${what}`,
    async () => {
      await using lab = await startLab();
      const right = lab.clock.now();
      lab.clock.put(right + ahead);
      await pass(lab, 2);
      const { code } = await lab.as.admin.agents.createCode({ body: {} });
      const request = await applyFor(lab);
      await pass(lab, 6);
      lab.clock.put(right - (ahead === 0 ? 30 * day : -8 * minute));
      await pass(lab, 3);
      expect(await lab.as.nobody.agents.claim({ body: request })).toMatchObject({ status: 'pending' });
      await pass(lab, 2);
      const refused = await refusal(lab.as.nobody.agents.enroll({ body: { code, agent: agentFacts } }));
      expect(refused.code).toBe('enrollment_code_refused');
      expect(await lab.as.nobody.agents.claim({ body: request })).toMatchObject({ status: 'expired' });
    },
  );
}

/** Something with an end. */
interface Lease {
  what: string;
  lifetimeMs: number;
  isTaken(): Promise<boolean>;
  /** Asking uses it up. */
  asksOnce: boolean;
  /** Of the clock that nobody sets. */
  since: number;
}

const sessionMinutes = 20;

/** One of each, made through the API. */
async function makeLeases(lab: Lab<never>): Promise<Lease[]> {
  const { admin } = lab.as;
  const { code } = await admin.agents.createCode({ body: {} });
  const request = await applyFor(lab);
  const approved = await applyFor(lab);
  await admin.agents.approve({ params: { requestId: approved.requestId }, body: {} });
  const session = (await lab.as.browser()).cookies.get('monitor_session') ?? '';
  const identity = (await lab.as.identity(['network.read'])).token;
  const since = lab.clock.monotonic();
  const isLetIn = async (token: string) => {
    const headers = { 'x-admin-token': token };
    return (await lab.as.raw({ method: 'GET', path: '/api/status', headers })).status === 200;
  };
  const isRefused = (asked: Promise<unknown>) =>
    asked.then(
      () => false,
      (error) => error instanceof ClientError,
    );
  // A request that ended long ago is deleted.
  const claim = async (body: typeof request) => {
    const asked = lab.as.nobody.agents.claim({ body });
    return (await isRefused(asked)) ? 'unknown' : (await asked).status;
  };
  const enrolment = { lifetimeMs: 10 * minute, since };
  return [
    {
      ...enrolment,
      what: 'a code',
      asksOnce: true,
      isTaken: async () => !(await isRefused(lab.as.nobody.agents.enroll({ body: { code, agent: agentFacts } }))),
    },
    { ...enrolment, what: 'a request', asksOnce: false, isTaken: async () => (await claim(request)) === 'pending' },
    { ...enrolment, what: 'an approval', asksOnce: true, isTaken: async () => (await claim(approved)) === 'approved' },
    {
      what: 'a session',
      lifetimeMs: sessionMinutes * minute,
      since,
      asksOnce: false,
      isTaken: () => isLetIn(session),
    },
    {
      what: 'an identity',
      lifetimeMs: 60 * minute,
      since,
      asksOnce: false,
      isTaken: () => isLetIn(identity),
    },
  ];
}

const amounts = [900, 2000, 4 * minute, 8 * minute, 3 * 60 * minute, 2 * day, 30 * day];
type Step = { pass: number } | { jump: number } | 'right' | 'make' | 'restart';

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 7 }) }) },
  { weight: 4, arbitrary: fc.record({ jump: fc.constantFrom(...amounts, ...amounts.map((ms) => -ms)) }) },
  { weight: 2, arbitrary: fc.constant('right' as const) },
  { weight: 2, arbitrary: fc.constant('make' as const) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
);

async function take(lab: Lab<never>, one: Step, errorMs: number): Promise<number> {
  if (one === 'restart') {
    await lab.restart();
    await lab.settled();
  } else if (one === 'right') {
    lab.clock.put(lab.clock.now() - errorMs);
    return 0;
  } else if (one !== 'make' && 'pass' in one) {
    await pass(lab, one.pass);
  } else if (one !== 'make') {
    lab.clock.put(lab.clock.now() + one.jump);
    return errorMs + one.jump;
  }
  return errorMs;
}

/** A lease that is taken too late, or, though nobody set the clock, refused too early. */
async function fault(lab: Lab<never>, lease: Lease, allowedMs: number, wasSet: boolean): Promise<string | null> {
  const age = lab.clock.monotonic() - lease.since;
  const isTaken = await lease.isTaken();
  const said = `${lease.what} that lives for ${lease.lifetimeMs} ms is ${isTaken ? 'taken' : 'refused'} after ${age} ms`;
  if (isTaken && lease.what === 'a session') {
    lease.since = lab.clock.monotonic();
  }
  const isWrong = isTaken ? age > lease.lifetimeMs + allowedMs : age < lease.lifetimeMs && !wasSet;
  return isWrong ? said : null;
}

async function faultsAfter(steps: readonly Step[]): Promise<string[]> {
  await using lab = await startLab({ hub: { sessionTtlDays: sessionMinutes / (24 * 60) } });
  const leases = await makeLeases(lab);
  const faults: (string | null)[] = [];
  let errorMs = 0;
  // What passed between the last look at the clock and the end of the hub is not known after it.
  const restarts = steps.filter((one) => one === 'restart').length;
  const wasSet = steps.some((one) => typeof one === 'object' && 'jump' in one);
  const ask = async (asked: readonly Lease[]) => {
    for (const lease of asked) {
      faults.push(await fault(lab, lease, restarts * minute, wasSet));
    }
  };
  for (const one of steps) {
    errorMs = await take(lab, one, errorMs);
    if (one === 'make' && leases.length < 15) {
      leases.push(...(await makeLeases(lab)));
    }
    await ask(leases.filter(({ asksOnce }) => !asksOnce));
  }
  await ask(leases.filter(({ asksOnce }) => asksOnce));
  await pass(lab, sessionMinutes + restarts + 1);
  await ask(leases.filter(({ asksOnce }) => !asksOnce));
  return faults.filter((one) => one !== null);
}

test(`whatever the clock is set to, nothing is taken after its time: ${budget(6, 150, 'runs')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      expect(await faultsAfter(steps)).toEqual([]);
    }),
    {
      numRuns: runs(6, 150),
      // The clock comes back, and the hub ends, before the hub has looked at it.
      examples: [
        [[{ jump: 30 * day }, 'make', { jump: -3 * 60 * minute }, 'restart', { jump: 900 }, { pass: 1 }, 'make']],
      ],
    },
  );
}, 600_000);
