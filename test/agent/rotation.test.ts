// The rotation of the bearer while the Agent runs: on schedule, with lost answers, with a store that fails.
import { expect, test } from 'vitest';
import { writeJson } from '#kernel/files/files.ts';
import { type AgentLab, agentFolder, startAgentLab } from '../support/agent-program-lab.ts';
import { type AgentHub, startAgentHub } from '../support/fake-agent-hub.ts';
import { seenConnection } from '../support/made-up-watch.ts';
import { ManualClock } from '../support/manual-clock.ts';

const day = 86_400_000;
const rotation = '/api/agent/token/rotate';
const rotations = (hub: AgentHub) => hub.calls.filter(({ what }) => what.endsWith(rotation)).length;

/** Delivers connection `number`, on a clock that moves on as long as it takes. */
async function delivers(hub: AgentHub, lab: AgentLab, number: number): Promise<void> {
  await lab.take(seenConnection(number));
  const ports = async () => {
    await lab.advance(60_000);
    return hub.stored.flatMap(({ observations }) => observations.map(({ localPort }) => localPort));
  };
  await expect.poll(ports).toContain(number);
}

test('comes after 30 days; the new bearer is stored, and the old one is forgotten with its first use', async () => {
  await using hub = await startAgentHub();
  await using lab = await startAgentLab(hub);
  const before = lab.token();
  await delivers(hub, lab, 1);
  lab.clock.put(lab.clock.now() + 29 * day);
  await delivers(hub, lab, 2);
  expect(rotations(hub)).toBe(0);
  lab.clock.put(lab.clock.now() + day);
  await delivers(hub, lab, 3);
  expect(rotations(hub)).toBe(1);
  expect(lab.token()).toMatchObject({ current: hub.bearers[0]?.token, previous: null });
  expect(lab.token().current).not.toBe(before.current);
  expect(lab.folder.json('record')).toMatchObject({ rotationStartedAt: null });
});

test('never comes by itself with 0 days', async () => {
  await using hub = await startAgentHub();
  await using lab = await startAgentLab(hub, { rotateDays: 0 });
  lab.clock.put(lab.clock.now() + 400 * day);
  await delivers(hub, lab, 1);
  expect(rotations(hub)).toBe(0);
});

test.each([
  ['the old bearer still opens everything', false],
  ['the old bearer opens the rotation alone by then', true],
])('whose answer is lost is asked for again: %s', async (_, isGraceOver) => {
  await using hub = await startAgentHub();
  await using lab = await startAgentLab(hub);
  await delivers(hub, lab, 1);
  hub.fault({ path: rotation, loses: true, times: 1 });
  hub.isGraceOver = isGraceOver;
  lab.clock.put(lab.clock.now() + 31 * day);
  for (const number of [2, 3, 4]) {
    await delivers(hub, lab, number);
    await lab.advance(900_000);
  }
  expect(rotations(hub)).toBe(2);
  expect(lab.token()).toMatchObject({ current: hub.bearers[0]?.token, previous: null });
  expect(hub.requests).toEqual([]);
});

test('whose program is killed before the answer goes on at the next start', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub, new ManualClock().now());
  {
    await using first = await startAgentLab(hub, { folder });
    await first.advance(1000);
    hub.fault({ path: rotation, loses: true, times: 1 });
    first.clock.put(first.clock.now() + 31 * day);
    await delivers(hub, first, 1);
    expect(folder.json('record')).not.toMatchObject({ rotationStartedAt: null });
  }
  hub.isGraceOver = true;
  await using second = await startAgentLab(hub, { folder });
  await delivers(hub, second, 2);
  expect(rotations(hub)).toBe(2);
  expect(folder.json('record')).toMatchObject({ rotationStartedAt: null });
});

test('that is refused leaves the old bearer in use', async () => {
  await using hub = await startAgentHub();
  await using lab = await startAgentLab(hub);
  const before = lab.token();
  hub.fault({ path: rotation, status: 500 });
  lab.clock.put(lab.clock.now() + 31 * day);
  await delivers(hub, lab, 1);
  expect(lab.token()).toEqual(before);
});

test('of two stored bearers the one that the hub knows is used', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  const { token, agentId } = folder.enrolled(hub, new ManualClock().now());
  writeJson(folder.files.credential, {
    requestId: 'a-request',
    agentId,
    current: `svca_${'0'.repeat(64)}`,
    previous: token,
  });
  await using lab = await startAgentLab(hub, { folder });
  await delivers(hub, lab, 1);
  expect(lab.token()).toMatchObject({ current: token, previous: null });
});
