// The simulated Agent as an honest one: enrolment, delivery, retries, several in one process, control, the command.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentBatch } from '#contract/agent-ingest.ts';
import { agentControlRoutes } from '#simulators/agent/control.ts';
import { parseScript } from '#simulators/agent/script.ts';
import { startAgents } from '#simulators/agent/start.ts';
import { startAgentHub } from '../support/agent-hub.ts';
import { startAgentLab } from '../support/agent-lab.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const minuteMs = 60_000;

verifies('sim.agent.enrols', 'applies, polls until somebody approves, rotates and revokes itself', async () => {
  const clock = new ManualClock();
  await using hub = await startAgentHub(clock.now);
  await using agents = await startAgents({ hub: hub.url, codes: [hub.code()], rate: 0, clock });
  const [waiting] = agents.agents;
  expect(waiting).toMatchObject({ credential: 'pending', hostName: 'laptop-01', agentId: null });
  const claims = () => agents.journal().filter(({ kind }) => kind === 'claimed').length;
  await expect.poll(claims).toBe(1);
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(3000);
  await expect.poll(claims).toBe(2);
  hub.approve(waiting?.requestId ?? '');
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(3000);
  await expect.poll(() => agents.agents[0]).toMatchObject({ credential: 'active', agentId: expect.any(String) });
  const bearers = () => hub.at('ingest').map(({ headers }) => headers.authorization);
  await agents.deliver();
  expect(await agents.rotate()).toEqual([{ agent: 'laptop-01', status: 200 }]);
  expect(await agents.deliver()).toMatchObject([{ status: 200, ack: { accepted: 20 } }]);
  expect(new Set(bearers()).size).toBe(2);
  expect(await agents.revoke()).toEqual([{ agent: 'laptop-01', status: 200 }]);
  expect(agents.agents).toMatchObject([{ credential: 'revoked' }]);
  await expect(agents.deliver()).rejects.toThrow('no Agent has a bearer');
  await expect(agents.rotate()).rejects.toThrow('no Agent has a bearer');
  await expect(agents.revoke(2)).rejects.toThrow('there is no Agent 2');
});

verifies('sim.agent.enrols', 'a wrong code and a rejection are told, and it can apply again', async () => {
  const clock = new ManualClock();
  await using hub = await startAgentHub(clock.now);
  await using agents = await startAgents({ hub: hub.url, codes: ['WRONG2'], rate: 0, claimEveryMs: 10, clock });
  expect(agents.agents).toMatchObject([{ credential: 'none', requestId: null }]);
  const { requestId } = await agents.enroll(hub.code());
  hub.reject(requestId ?? '');
  await expect.poll(() => agents.agents[0]?.credential).toBe('rejected');
  const again = await agents.enroll(hub.code());
  expect(again).toMatchObject({ agent: 'laptop-01', status: 202 });
  await expect(agents.enroll(hub.code())).rejects.toThrow('every Agent has applied already');
});

verifies(
  'sim.agent.delivers',
  'by rate, batches that the contract accepts; a bearer that is refused ends it',
  async () => {
    await using lab = await startAgentLab({ rate: 6, observations: 50 });
    const { clock, hub, agents } = lab;
    const acknowledged = (count: number) => expect.poll(() => agents.agents[0]?.acknowledged).toBe(count);
    await acknowledged(1);
    await clock.advance(10_000);
    await acknowledged(2);
    expect(hub.batches()).toHaveLength(2);
    for (const batch of hub.batches()) {
      expect(agentBatch.safeParse(batch).error).toBeUndefined();
      expect(batch.observations).toHaveLength(50);
    }
    agents.patch({ rate: 60, observations: 5 });
    await acknowledged(3);
    await expect.poll(() => hub.batches().at(-1)?.observations.length).toBe(5);
    agents.patch({ rate: 0 });
    const { agentId, acknowledged: before } = agents.agents[0] ?? {};
    hub.revoke(agentId ?? '');
    await agents.deliver();
    expect(agents.agents).toMatchObject([
      { credential: 'refused', waiting: 1, acknowledged: before, refused: { 401: 1 } },
    ]);
    await expect(agents.deliver()).rejects.toThrow('no Agent has a bearer');
  },
);

verifies(
  'sim.agent.honest',
  'Retry-After, back-off, the same bytes again; what is refused as such is parked',
  async () => {
    await using lab = await startAgentLab();
    const { clock, hub, agents } = lab;
    hub.allow(0, 40);
    expect(await agents.deliver()).toMatchObject([{ status: 429, ack: null }]);
    await expect.poll(() => clock.sleepers().map(({ ms }) => ms)).toEqual([40_000]);
    hub.allow(100);
    hub.answerNext(503);
    await clock.advance(39_999);
    expect(hub.at('ingest')).toHaveLength(1);
    await clock.advance(1);
    await expect.poll(() => hub.at('ingest').length).toBe(2);
    expect(agents.agents).toMatchObject([{ waiting: 1 }]);
    // Full jitter: anything up to five seconds.
    await expect.poll(() => clock.advance(5000).then(() => agents.agents[0]?.acknowledged)).toBe(1);
    expect(agents.agents).toMatchObject([{ waiting: 0, sent: 3, refused: { 429: 1, 503: 1 }, credential: 'active' }]);
    const ids = agents
      .journal()
      .filter(({ kind }) => kind === 'batch')
      .map(({ batchId }) => batchId);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
    hub.answerNext(422);
    await agents.deliver();
    expect(agents.agents).toMatchObject([{ waiting: 0, parked: 1 }]);
  },
);

verifies('sim.agent.honest', 'an ACK for something else is none; 503 with Retry-After waits as long', async () => {
  await using lab = await startAgentLab();
  const { clock, hub, agents } = lab;
  hub.answerNext(200);
  expect(await agents.deliver()).toMatchObject([{ status: 200, ack: null, error: expect.any(String) }]);
  hub.answerNext(503, { 'retry-after': '3600' });
  await expect.poll(() => clock.advance(5000).then(() => hub.at('ingest').length)).toBe(2);
  await expect.poll(() => clock.sleepers().map(({ ms }) => ms)).toEqual([3_600_000]);
  expect(agents.agents).toMatchObject([{ waiting: 1, acknowledged: 0 }]);
});

verifies(
  'sim.agent.honest',
  'rotation waits for a batch that is on its way, and batches for the rotation',
  async () => {
    await using lab = await startAgentLab();
    const { hub, agents } = lab;
    const release = hub.hold(2);
    const first = agents.deliver();
    await expect.poll(() => hub.at('ingest')).toMatchObject([{ isComplete: true, status: null }]);
    const others = [agents.rotate(), agents.deliver(), agents.rotate(), agents.deliver()];
    release();
    const statuses = (await Promise.all([first, ...others])).flat().map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(hub.received.slice(-5).map(({ path: to }) => to.split('/').at(-1))).toEqual([
      'ingest',
      'rotate',
      'ingest',
      'rotate',
      'ingest',
    ]);
  },
);

test('two codes at once enrol two Agents; a newer application ends the claim of the older one', async () => {
  const clock = new ManualClock();
  await using hub = await startAgentHub(clock.now);
  await using agents = await startAgents({ hub: hub.url, count: 2, rate: 0, claimEveryMs: 10, clock });
  const both = await Promise.all([agents.enroll(hub.code()), agents.enroll(hub.code())]);
  expect(both.map(({ agent }) => agent)).toEqual(['laptop-01', 'laptop-02']);
  const newer = await agents.enroll(hub.code(), 1);
  hub.approve(newer.requestId ?? '');
  await expect.poll(() => agents.agents[0]).toMatchObject({ credential: 'active', agentId: newer.requestId });
});

test('reset and disposal end what is under way, and nothing of it is noted', async () => {
  await using lab = await startAgentLab();
  const { hub, agents } = lab;
  agents.fail('never-ends-body');
  const waiting = agents.deliver();
  await expect.poll(() => hub.at('ingest')).toHaveLength(1);
  agents.reset();
  expect(await waiting).toMatchObject([{ status: null }]);
  expect(agents.journal()).toEqual([]);
  expect(agents.agents).toMatchObject([{ credential: 'none', sent: 0 }]);
  const { requestId } = await agents.enroll(hub.code());
  hub.approve(requestId ?? '');
  await expect.poll(() => agents.agents[0]?.credential).toBe('active');
  agents.fail('never-ends-body');
  const last = agents.deliver();
  await expect.poll(() => hub.at('ingest')).toHaveLength(2);
  await lab.agents[Symbol.asyncDispose]();
  expect(await last).toMatchObject([{ status: null }]);
});

verifies('sim.agent.deterministic', 'the same batches from the same seed, others from another one', async () => {
  const told = async (seed: number) => {
    await using lab = await startAgentLab({ seed, observations: 30 });
    await lab.agents.deliver();
    lab.clock.jump(lab.clock.now() + 2 * minuteMs);
    await lab.agents.deliver();
    return lab.hub.batches();
  };
  const [one, same, other] = [await told(7), await told(7), await told(8)];
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
});

verifies(
  'sim.agent.deterministic',
  'two hours of a machine: programs, documentation ranges, parts, a beacon',
  async () => {
    await using lab = await startAgentLab({ observations: 40 });
    for (let minute = 0; minute < 120; minute += 1) {
      lab.clock.jump(lab.clock.now() + minuteMs);
      await lab.agents.deliver();
    }
    const all = lab.hub.batches().flatMap(({ observations }) => observations);
    const of = (name: string) => all.map((one) => one[name]);
    expect(new Set(of('processName')).size).toBe(12);
    for (const address of of('remoteAddress')) {
      expect(address).toMatch(/^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^2001:db8:/);
    }
    expect(new Set(of('confidence'))).toEqual(new Set(['exact', 'sampled']));
    expect(new Set(of('localAddress'))).toEqual(new Set(['192.168.100.7', '2001:db8:64::7']));
    expect(of('bytesIn')).toContain(null);
    const counts = [...Map.groupBy(of('remoteAddress'), (one) => one).values()].map(({ length }) => length);
    expect(Math.max(...counts)).toBeGreaterThan(10 * Math.min(...counts));
    const starts = (some: typeof all) => some.map((one) => Date.parse(String(one.firstObservedAt)));
    const beacons = starts(all.filter(({ processName }) => processName === 'telemetryd'));
    expect(beacons.length).toBeGreaterThanOrEqual(24);
    expect(new Set(beacons.slice(1).map((at, index) => at - (beacons[index] ?? 0)))).toEqual(new Set([5 * minuteMs]));
    const ports = Map.groupBy(
      all.filter((one) => Number(one.localPort) > 0),
      (one) => `${one.localPort} ${one.remoteAddress}`,
    );
    const longest = [...ports.values()].sort((a, b) => b.length - a.length)[0] ?? [];
    expect(longest.length).toBeGreaterThan(8);
    expect(new Set(longest.map(({ firstObservedAt }) => firstObservedAt)).size).toBe(1);
    const ends = longest.map(({ lastObservedAt }) => String(lastObservedAt));
    expect(ends).toEqual([...new Set(ends)].sort());
  },
);

verifies('sim.agent.several', 'own names, addresses, ids and bearers', async () => {
  await using lab = await startAgentLab({ count: 3, source: '192.168.100.254' });
  const sent = await lab.agents.deliver({ batches: 2 });
  expect(sent.map(({ agent }) => agent)).toEqual([
    'laptop-01',
    'laptop-01',
    'laptop-02',
    'laptop-02',
    'laptop-03',
    'laptop-03',
  ]);
  expect(sent.every(({ ack }) => ack?.accepted === 20)).toBe(true);
  expect(lab.agents.agents.map(({ platform, addresses }) => [platform, addresses.v4])).toEqual([
    ['linux', '192.168.100.254'],
    ['macos', '192.168.100.255'],
    ['windows', '192.168.101.0'],
  ]);
  expect(new Set(lab.agents.agents.map(({ agentId }) => agentId)).size).toBe(3);
  expect(new Set(lab.hub.at('ingest').map(({ headers }) => headers.authorization)).size).toBe(3);
  const bundles = lab.hub
    .batches()
    .filter(({ observations }) => observations.every(({ bundleID }) => bundleID !== null));
  expect(bundles.map(({ agent }) => agent.platform)).toEqual(['macos', 'macos']);
  await lab.agents.revoke(2);
  expect((await lab.agents.deliver()).map(({ agent }) => agent)).toEqual(['laptop-01', 'laptop-03']);
});

verifies('sim.agent.delivers', 'a script says what and when, and for whom', async () => {
  const { steps, problem } = parseScript(`
{"send":[{"remoteAddress":"203.0.113.80","remotePort":8443,"processName":"of the script","agoMs":60000,"lastsMs":5000}],"agent":2}
{"afterMs":30000,"send":3}
{"rotate":true,"agent":1}
{"fault":"bad-json","times":1,"agent":1}
{"afterMs":5000,"send":1,"agent":1}
`);
  expect(problem).toBeNull();
  await using lab = await startAgentLab({ count: 2, script: steps, rate: 60 });
  const { clock, hub, agents } = lab;
  const began = clock.now();
  await expect.poll(() => agents.agents[1]?.acknowledged).toBe(1);
  expect(hub.batches()[0]).toMatchObject({
    agent: { hostName: 'laptop-02' },
    observations: [
      {
        remoteAddress: '203.0.113.80',
        remotePort: 8443,
        processName: 'of the script',
        firstObservedAt: new Date(began - 60_000).toISOString(),
        lastObservedAt: new Date(began - 55_000).toISOString(),
      },
    ],
  });
  await clock.advance(30_000);
  await expect.poll(() => agents.agents.map(({ acknowledged }) => acknowledged)).toEqual([1, 2]);
  await expect.poll(() => hub.at('token/rotate').length).toBe(1);
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(5000);
  await expect.poll(() => agents.agents[0]).toMatchObject({ acknowledged: 1, refused: { 400: 1 }, parked: 1 });
  await expect.poll(() => agents.journal().filter(({ kind }) => kind === 'script-ended')).toHaveLength(2);
});

test.each([
  ['{"send":', 'line 1: '],
  ['\n{"send":1,"rotate":true}', 'line 2: needs one of'],
  ['{"send":0}', 'line 1: send'],
  ['{"fault":"nonsense"}', 'line 1: fault'],
  ['{"send":[{"remotePort":"x"}]}', 'line 1: send'],
])('a script with %j is refused', (text, problem) => {
  expect(parseScript(text)).toEqual({ steps: [], problem: expect.stringContaining(problem) });
});

verifies('sim.agent.control sim.agent.journal', 'over HTTP; no secret in journal, state or answers', async () => {
  await using lab = await startAgentLab({ count: 2 });
  const { clock, hub, agents } = lab;
  const extra = agentControlRoutes(agents);
  await using served = await serveControl({ control: agents, clock, extra });
  const call = served.ask;
  expect(await call('POST', '/deliver', { batches: 2, observations: 3, agent: 1 })).toMatchObject({
    status: 200,
    body: { sent: [1, 2].map(() => ({ agent: 'laptop-01', status: 200, ack: { accepted: 3, replayed: false } })) },
  });
  const given = [{ remoteAddress: '192.0.2.99', bytesIn: null }];
  await call('POST', '/deliver', { observations: given, agent: 2 });
  expect(hub.batches().at(-1)?.observations).toMatchObject(given);
  expect((await call('POST', '/rotate', {})).body).toEqual({
    answers: ['laptop-01', 'laptop-02'].map((agent) => ({ agent, status: 200 })),
  });
  expect((await call('POST', '/revoke', { agent: 2 })).body).toEqual({
    answers: [{ agent: 'laptop-02', status: 200 }],
  });
  expect((await call('PATCH', '/state', { rate: -1 })).status).toBe(400);
  expect((await call('PATCH', '/state', { bearer: 'x' })).status).toBe(400);
  expect((await call('POST', '/faults', { fault: 'compressed', value: 1 })).status).toBe(400);
  expect((await call('POST', '/faults', { fault: 'slow-body', value: 0 })).status).toBe(400);
  expect((await call('POST', '/deliver', { agent: 9 })).status).toBe(400);
  expect((await call('POST', '/enroll', { code: 'nothing!' })).body).toEqual({
    agent: 'laptop-02',
    status: 401,
    requestId: expect.any(String),
  });
  const state = await call('GET', '/state');
  expect(state.body).toMatchObject({
    rate: 0,
    agents: [
      { credential: 'active', sent: 2, acknowledged: 2, lastAck: { accepted: 3 } },
      { credential: 'revoked', sent: 1 },
    ],
  });
  const shown = JSON.stringify([await call('GET', '/journal'), state, agents.state()]);
  expect(shown).toContain('"kind":"enrolled"');
  expect(shown).not.toMatch(/svc[ca]_|nothing!/);
  await call('POST', '/reset');
  expect((await call('GET', '/state')).body).toMatchObject({
    agents: [{ credential: 'none', sent: 0 }, { credential: 'none' }],
  });
  expect((await call('GET', '/journal')).body).toEqual({ journal: [] });
});

test('it sends to a hub on loopback only, unless told otherwise', async () => {
  await expect(startAgents({ hub: new URL('http://192.0.2.1') })).rejects.toThrow(/does not send to 192\.0\.2\.1/);
});

test('its connections come from the address that it is given', async () => {
  await using lab = await startAgentLab({ connectFrom: '127.0.0.1' });
  await lab.agents.deliver();
  expect(lab.hub.at('ingest').map(({ from }) => from)).toEqual(['127.0.0.1']);
});

verifies('sim.agent.command', 'prints its line, enrols with codes, delivers a script, ends at SIGTERM', async () => {
  await using hub = await startAgentHub(Date.now);
  using folder = temporaryFolder();
  const script = path.join(folder.path, 'script.jsonl');
  writeFileSync(script, '{"send":4}\n');
  const args = ['src/main.ts', 'sim', 'agent', '--hub', hub.url.href, '--control-port', '0'];
  const [one, other] = [hub.code(), hub.code()];
  await using program = startProgram([...args, '--count', '3', '--code', `${one},${other}`, '--script', script]);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  const about = JSON.parse(line) as { control: string; agents: { requestId: string }[] };
  expect(about).toMatchObject({
    simulator: 'agent',
    hub: hub.url.href,
    control: expect.stringMatching(/^http:\/\/127/),
    agents: [
      { requestId: expect.any(String), hostName: 'laptop-01' },
      { requestId: expect.any(String), hostName: 'laptop-02' },
      { requestId: null, hostName: 'laptop-03' },
    ],
    hint: expect.stringContaining('/enroll'),
  });
  hub.approve(about.agents[1]?.requestId ?? '');
  await expect.poll(() => hub.batches()).toMatchObject([{ agent: { hostName: 'laptop-02' } }]);
  await expect.poll(program.stderr).toMatch(/^agent batch agent="laptop-02" .*"accepted":4/m);
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).not.toMatch(new RegExp(`svc[ca]_|${one}|${other}`));
});

test.each([
  [[], '--hub is missing'],
  [['--hub', 'ftp://127.0.0.1'], '--hub must be the address of the hub'],
  [['--hub', 'http://127.0.0.1:1', '--code', 'A,B'], '--code has 2 codes'],
  [['--hub', 'http://127.0.0.1:1', '--source', 'x'], '--source takes'],
  [['--hub', 'http://127.0.0.1:1', '--script', '/nowhere'], '--script: '],
  [['--hub', 'http://127.0.0.1:1', '--port', '7'], '--port does not belong to agent'],
])('gatehouse sim agent %j: one line on stderr, exit 2', async (args, naming) => {
  const { code, stdout, stderr } = await runProgram(['src/main.ts', 'sim', 'agent', ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^gatehouse sim: .*\n$/);
  expect(stderr).toContain(naming);
});

test('--help of agent tells no port of its own', async () => {
  const { stdout } = await runProgram(['src/main.ts', 'sim', 'agent', '--help']);
  expect(stdout).toContain('--observations N');
  expect(stdout).not.toContain('--port N ');
});
