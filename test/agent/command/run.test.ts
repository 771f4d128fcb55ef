// `gatehouse agent run`, `status`, `rotate` and `revoke` in real processes: kill -9, stop, the lock, exit codes.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentFolder } from '../../support/agent-program-lab.ts';
import { eventually } from '../../support/eventually.ts';
import { startAgentHub } from '../../support/fake-agent-hub.ts';
import { root, startProgram } from '../../support/program.ts';
import { batchIdOf } from '../../support/spool-lab.ts';

const ready = /^gatehouse agent ready (\S+) (\S+)$/m;
const ingest = '/api/agent/ingest';

test('kill -9 at random moments: every batch that was on disk is stored once, under one id', async () => {
  await using hub = await startAgentHub();
  hub.capabilities.maxObservationsPerBatch = 5;
  using folder = agentFolder();
  folder.enrolled(hub);
  folder.seen(1500);
  const onDisk = new Set<string>();
  const rounds = 6;
  for (let round = 0; round < rounds; round += 1) {
    await using program = folder.start(['run', '--every', '5']);
    await program.printed(ready);
    const before = hub.received.length;
    await expect.poll(() => hub.received.length - before).toBeGreaterThan(20);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
    program.kill('SIGKILL');
    await program.ended;
    for (const name of folder.spooled().filter((file) => file.endsWith('.json'))) {
      onDisk.add(batchIdOf(name));
    }
  }
  expect(onDisk.size).toBeGreaterThan(100);
  folder.seen(0);
  await using last = folder.start(['run', '--every', '5']);
  await last.printed(ready);
  await expect.poll(() => folder.spooled().length).toBe(0);
  last.kill('SIGTERM');
  expect((await last.ended).code).toBe(0);
  const stored = new Set(hub.stored.map(({ batchId }) => batchId));
  expect([...onDisk].filter((batchId) => !stored.has(batchId))).toEqual([]);
  const observations = hub.stored.flatMap((batch) => batch.observations.map(({ observationId }) => observationId));
  expect(new Set(observations).size).toBe(observations.length);
  expect(folder.parked()).toEqual([]);
});

test('SIGTERM: what was taken last is delivered, exit 0', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  folder.seen(7);
  await using program = folder.start(['run', '--every', '300']);
  await program.printed(ready);
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  expect(hub.stored.flatMap(({ observations }) => observations)).toHaveLength(7);
  expect(folder.spooled()).toEqual([]);
  expect(folder.json('status')).toMatchObject({ delivery: { deliveredObservations: 7 } });
});

test('SIGTERM with a hub that does not answer: it ends within the bound, and what was taken is on disk', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  folder.seen(7);
  hub.fault({ path: ingest, delayMs: 60_000 });
  await using program = folder.start(['run', '--every', '300']);
  await program.printed(ready);
  program.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
  expect(folder.spooled()).toHaveLength(1);
});

test('a second one says who runs; so do rotate, revoke and enroll', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  await using program = folder.start(['run']);
  await program.printed(ready);
  for (const args of [['run'], ['rotate'], ['revoke'], ['enroll', '--hub', hub.url.href, '--code', hub.code]]) {
    const { code, stderr } = await folder.run(args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`process ${program.pid} already uses the Agent folder`),
    });
  }
});

test('status: well while it runs, with what each source cannot see; no secret anywhere', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  folder.seen(3);
  await using program = folder.start(['run', '--every', '5'], { LOG_LEVEL: 'debug' });
  await program.printed(ready);
  await expect.poll(() => hub.stored.length).toBeGreaterThan(0);
  const text = await folder.run(['status']);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/bearer {5}in a plain file/);
  expect(text.stdout).toMatch(/socket-tables: active\n +- Connections shorter than the interval are not seen\./);
  expect(text.stdout).toMatch(/conntrack: off \(no right to read it\)/);
  const json = await folder.run(['status', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    needs: null,
    enrolled: { store: 'file', hostName: 'desk' },
    running: { pid: program.pid },
    nextRotationAt: expect.any(Number),
    status: { delivery: { failure: null } },
  });
  const shown = [text.stdout, json.stdout, program.stdout(), program.stderr(), folder.publicText()].join('\n');
  const argv = readFileSync(`/proc/${program.pid}/cmdline`, 'utf8');
  expect(hub.secrets().filter((secret) => (shown + argv).includes(secret))).toEqual([]);
  program.kill('SIGKILL');
  await program.ended;
  expect(await folder.run(['status'])).toMatchObject({ code: 1, stderr: expect.stringContaining('does not run') });
});

test('a revoked bearer: it collects, never enrols, and status says what to do', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  folder.seen(2);
  for (const bearer of hub.bearers) {
    bearer.isRevoked = true;
  }
  await using program = folder.start(['run', '--every', '5']);
  await program.printed(ready);
  const ended = await eventually(
    () => folder.run(['status']),
    ({ stderr }) => (stderr.includes('the hub refuses this Agent') ? stderr : undefined),
  );
  expect(ended).toMatch(/enrol again with --replace/);
  await expect.poll(() => folder.spooled().length).toBeGreaterThan(0);
  expect(hub.requests).toEqual([]);
});

test('without an enrolment run and status say what to do', async () => {
  using folder = agentFolder();
  expect(await folder.run(['status'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('gatehouse agent enroll --hub URL'),
  });
  expect(await folder.run(['run'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('gatehouse agent enroll --hub URL'),
  });
});

test('rotate: a new bearer, used once; a lost answer leaves the old one, and the next try succeeds', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  const { token } = folder.enrolled(hub);
  hub.fault({ path: '/api/agent/token/rotate', loses: true, times: 1 });
  expect(await folder.run(['rotate'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the old one goes on working'),
  });
  expect(folder.json('credential')).toMatchObject({ current: token, previous: null });
  hub.isGraceOver = true;
  expect(await folder.run(['rotate'])).toMatchObject({ code: 0, stdout: 'rotated: the hub accepts the new bearer\n' });
  expect(folder.json('credential')).toMatchObject({ current: hub.bearers[0]?.token, previous: null });
});

test('rotate whose first use fails stores both', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  const { token } = folder.enrolled(hub);
  hub.fault({ path: '/api/agent/capabilities', status: 503 });
  expect(await folder.run(['rotate'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('its first use failed'),
  });
  expect(folder.json('credential')).toMatchObject({ current: hub.bearers[0]?.token, previous: token });
});

test('revoke: at the hub first; without a hub nothing is deleted, unless --local-only says so', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  hub.fault({ path: '/api/agent/registration/revoke', status: 503, times: 1 });
  expect(await folder.run(['revoke'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--local-only') });
  expect(existsSync(folder.files.credential)).toBe(true);
  expect(await folder.run(['revoke'])).toMatchObject({ code: 0 });
  expect(hub.bearers).toMatchObject([{ isRevoked: true }]);
  expect([folder.files.credential, folder.files.record].filter((file) => existsSync(file))).toEqual([]);
  folder.enrolled(hub);
  const calls = hub.calls.length;
  expect(await folder.run(['revoke', '--local-only'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('stays active'),
  });
  expect(hub.calls).toHaveLength(calls);
  expect(existsSync(folder.files.credential)).toBe(false);
});

test('the gatehouse command knows it', async () => {
  for (const [args, code, pattern] of [
    [['--help'], 0, /enroll .*run .*status .*rotate .*revoke/s],
    [['run', '--help'], 0, /--spool-mb/],
    [['enroll', '--help'], 0, /backups of the folder hold it/],
    [['status', '--version'], 0, /^\d+\.\d+\.\d+/],
    [['bogus'], 2, /unknown command "bogus"/],
  ] as const) {
    await using program = startProgram(['src/main.ts', 'agent', ...args], { cwd: root });
    expect((await program.ended).code).toBe(code);
    expect(code === 0 ? program.stdout() : program.stderr()).toMatch(pattern);
  }
});
