// The simulated Agents at the real hub: it answers as the small hub of the other tests does, which therefore is a fair one.
import { expect } from 'vitest';
import type { AgentFault } from '#simulators/agent/faults.ts';
import { startAgents } from '#simulators/agent/start.ts';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

/** Two Agents with their bearers; they deliver when asked. */
async function enrolled() {
  await using stack = new AsyncDisposableStack();
  const lab = stack.use(await startLab());
  const code = async () => (await lab.as.admin.agents.createCode({ body: {} })).code;
  const codes = [await code(), await code()];
  const { url: hub, clock } = lab;
  const agents = stack.use(
    await startAgents({ hub, count: 2, rate: 0, observations: 5, claimEveryMs: 20, clock, codes }),
  );
  for (const { requestId } of agents.agents) {
    await lab.as.admin.agents.approve({ params: { requestId: requestId ?? '' }, body: {} });
  }
  await expect.poll(() => agents.agents.every(({ credential }) => credential === 'active')).toBe(true);
  const all = stack.move();
  return { lab, agents, code, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const stored = [200, 5, 0, false];
const replayed = [200, 5, 0, true];
const refused = (status: number | null) => [status, null, null, null];

const answers: readonly (readonly [AgentFault, readonly unknown[][], value?: number])[] = [
  ['ignores-ack', [stored, replayed]],
  ['replay-other-content', [stored, replayed]],
  ['clock-ahead', [stored]],
  ['clock-behind', [stored]],
  ['far-future', [refused(400)]],
  ['outside-retention', [refused(400)]],
  ['oversize-count', [refused(400)]],
  ['oversize-bytes', [refused(413)]],
  ['compressed', [refused(415)]],
  ['bad-json', [refused(400)]],
  ['wrong-schema-version', [refused(400)]],
  ['unknown-field', [refused(400)]],
  ['local-time', [refused(400)]],
  ['leading-zeros', [refused(400)]],
  ['slow-body', [stored], 1],
  ['loses-ack', [refused(null), replayed]],
  ['foreign-batch-id', [stored]],
  ['bearer-elsewhere', [stored]],
];

verifies('sim.agent.delivers sim.agent.faults', 'each fault of a batch gets its answer', async () => {
  await using given = await enrolled();
  const { agents } = given;
  expect(await agents.deliver()).toMatchObject([{ status: 200 }, { status: 200 }]);
  for (const [fault, expected, value] of answers) {
    agents.fail(fault, { times: 1, ...(value === undefined ? {} : { value }) });
    const sent = await agents.deliver({ agent: 1 });
    const got = sent.map(({ status, ack }) => [
      status,
      ack?.accepted ?? null,
      ack?.duplicate ?? null,
      ack?.replayed ?? null,
    ]);
    // A hub may close before all of a long body is read, and the answer is lost with it.
    expect([fault, fault === 'oversize-bytes' && got[0]?.[0] === null ? expected : got]).toEqual([fault, expected]);
  }
  expect(
    agents
      .journal()
      .filter(({ kind }) => kind === 'elsewhere')
      .map(({ status }) => status),
  ).toEqual([401, 401]);
});

verifies('sim.agent.enrols sim.agent.faults', 'rotation, a lost one, guessing, revocation', async () => {
  await using given = await enrolled();
  const { agents, code, lab } = given;
  const statuses = async () => (await agents.deliver({ agent: 1 })).map(({ status }) => status);
  expect(await agents.rotate(1)).toMatchObject([{ status: 200 }]);
  expect(await statuses()).toEqual([200]);
  agents.fail('loses-rotation-reply', { times: 1 });
  expect(await agents.rotate(1)).toMatchObject([{ status: null }]);
  // The new bearer was never used: the old one is still good for a while.
  expect(await statuses()).toEqual([200]);
  agents.fail('flood', { times: 1, value: 3 });
  const flood = await agents.deliver({ agent: 1, batches: 29 });
  expect(flood.slice(-5).map(({ status }) => status)).toEqual([200, 429, 429, 429, 429]);
  agents.fail('revoked-token-kept', { times: 1 });
  expect(await agents.revoke(1)).toMatchObject([{ status: 200 }]);
  expect(await statuses()).toEqual([401]);
  agents.fail('guesses-codes', { times: 1 });
  expect(await agents.enroll(await code(), 1)).toMatchObject({ status: 429 });
  expect((await lab.as.admin.agents.list({})).agents.map(({ hostName }) => hostName).sort()).toEqual([
    'laptop-01',
    'laptop-02',
  ]);
});
