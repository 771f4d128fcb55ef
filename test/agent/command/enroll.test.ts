// `gatehouse agent enroll`: every outcome, in real processes against a hub over HTTP.
import { existsSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeJson } from '#kernel/files/files.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { type AgentFolder, agentFolder } from '../../support/agent-program-lab.ts';
import { type AgentHub, startAgentHub } from '../../support/fake-agent-hub.ts';
import type { Program } from '../../support/program.ts';

const fileStore = ['--store', 'file'];
const waits = /^waiting for approval of ([\da-f-]{36}) as (\S+) in the web UI/m;

const enrollAt = ({ url, code }: AgentHub, ...more: string[]) => [
  ...['enroll', '--hub', url.href, '--code', code, ...fileStore, ...more],
];

/** Starts `enroll`, which waits for its approval. */
async function startWaiting(folder: AgentFolder, args: readonly string[]): Promise<Program & { requestId: string }> {
  const program = folder.start(args);
  const [, requestId = ''] = await program.printed(waits);
  return Object.assign(program, { requestId });
}

/** Runs `enroll` until its end, with an approval as soon as it waits for one. Resolves to its exit code. */
async function enrollApproved(hub: AgentHub, folder: AgentFolder, args = enrollAt(hub)): Promise<number | null> {
  await using program = await startWaiting(folder, args);
  hub.decide('approved');
  return (await program.ended).code;
}

/** Runs `enroll` until its request waits for an approval, and kills it there. Resolves to the id of the request. */
async function killWhileWaiting(hub: AgentHub, folder: AgentFolder): Promise<string> {
  await using first = await startWaiting(folder, enrollAt(hub));
  first.kill('SIGKILL');
  await first.ended;
  return first.requestId;
}

describe('an enrolment', () => {
  test('waits for the approval, stores the bearer, uses it once, and shows no secret', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    await using program = await startWaiting(folder, enrollAt(hub, '--name', 'desk'));
    const { requestId } = program;
    expect(folder.json('pending')).toMatchObject({ requestId });
    expect(statSync(folder.files.pending).mode & 0o777).toBe(0o600);
    hub.decide('approved');
    expect((await program.ended).code).toBe(0);
    const [bearer] = hub.bearers;
    expect(folder.json('credential')).toEqual({
      requestId,
      agentId: bearer?.agentId,
      current: bearer?.token,
      previous: null,
    });
    expect(statSync(folder.files.credential).mode & 0o777).toBe(0o600);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    expect(folder.json('record')).toMatchObject({ hubUrl: hub.url.href, hostName: 'desk', store: 'file' });
    expect(hub.calls.at(-1)).toMatchObject({ what: 'GET /api/agent/capabilities', bearer: bearer?.token, status: 200 });
    expect(existsSync(folder.files.pending)).toBe(false);
    expect(program.stderr()).toContain('whoever can read the file can send observations');
    const shown = program.stdout() + program.stderr() + folder.publicText();
    expect(hub.secrets().filter((secret) => shown.includes(secret))).toEqual([]);
  });

  test.each([
    ['rejected', /an administrator rejected the request/],
    ['expired', /nobody approved the request in time: enrol again with a new code/],
  ] as const)('that is %s ends with 1, and nothing is left of it', async (state, sentence) => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    await using program = await startWaiting(folder, enrollAt(hub));
    hub.decide(state);
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toMatch(sentence);
    expect(
      [folder.files.pending, folder.files.credential, folder.files.record].filter((file) => existsSync(file)),
    ).toEqual([]);
  });

  test('goes on after kill -9 with the same request, without a code', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    await killWhileWaiting(hub, folder);
    hub.decide('approved');
    const second = await folder.run(['enroll']);
    expect(second).toMatchObject({ code: 0 });
    expect(hub.requests).toHaveLength(1);
    expect(folder.json('credential')).toMatchObject({ requestId: hub.requests[0]?.requestId });
  });

  test('goes on when the bearer was stored and the program was killed before it said so', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const requestId = await killWhileWaiting(hub, folder);
    const pending = folder.json('pending');
    folder.enrolled(hub);
    writeJson(folder.files.pending, pending);
    writeJson(folder.files.credential, { ...folder.json('credential'), requestId });
    rmSync(folder.files.record);
    expect(await folder.run(['enroll'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('accepts the bearer'),
    });
    expect(folder.json('record')).toMatchObject({ credentialName: requestId });
  });

  test('whose stored bearer cannot be read keeps its request, and goes on when it can be read', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const requestId = await killWhileWaiting(hub, folder);
    hub.decide('approved');
    // As after a kill between the claim and the end of the enrolment.
    const { claimSecret } = folder.json('pending') as { claimSecret: string };
    const claimed = await fetch(new URL('/api/agent/enrollment-requests/claim', hub.url), {
      method: 'POST',
      body: JSON.stringify({ requestId, claimSecret }),
    });
    const { token, agentId } = (await claimed.json()) as { token: string; agentId: string };
    mkdirSync(folder.files.credential);
    expect(await folder.run(['enroll'])).toMatchObject({ code: 1, stderr: expect.stringContaining('EISDIR') });
    expect(folder.json('pending')).toMatchObject({ requestId });
    rmdirSync(folder.files.credential);
    writeJson(folder.files.credential, { requestId, agentId, current: token, previous: null });
    expect(await folder.run(['enroll'])).toMatchObject({ code: 0 });
  });

  test('again over a registration that cannot be read changes nothing; over a damaged one it goes on', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    folder.enrolled(hub);
    rmSync(folder.files.record);
    mkdirSync(folder.files.record);
    const again = enrollAt(hub, '--replace');
    expect(await folder.run(again)).toMatchObject({ code: 1, stderr: expect.stringContaining('EISDIR') });
    expect(hub.calls).toEqual([]);
    rmdirSync(folder.files.record);
    writeFileSync(folder.files.record, '{');
    expect(await enrollApproved(hub, folder, again)).toBe(0);
  });

  test('says that the registration before is still valid when its bearer cannot be read', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const { agentId } = folder.enrolled(hub);
    writeFileSync(folder.files.credential, '{');
    await using program = await startWaiting(folder, enrollAt(hub, '--replace'));
    hub.decide('approved');
    expect((await program.ended).code).toBe(0);
    expect(program.stderr()).toMatch(`${agentId} at ${hub.url.href}) could not be revoked`);
  });

  test('stopped by Ctrl-C says how it goes on', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    await using program = await startWaiting(folder, enrollAt(hub));
    await expect.poll(() => hub.calls.some(({ what }) => what.endsWith('/claim'))).toBe(true);
    program.kill('SIGINT');
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toContain('gatehouse agent enroll goes on with the same request');
    expect(existsSync(folder.files.pending)).toBe(true);
    expect(await folder.run(['status'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/request \S+ waits for approval/),
    });
  });

  test('whose bearer cannot be stored is revoked again', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    await using program = await startWaiting(folder, enrollAt(hub));
    // A folder where the file belongs: it cannot be replaced.
    mkdirSync(`${folder.files.credential}/in-the-way`, { recursive: true });
    hub.decide('approved');
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toMatch(/the bearer could not be stored.*the new registration was revoked at the hub/);
    expect(hub.bearers).toMatchObject([{ isRevoked: true }]);
    expect(existsSync(folder.files.record)).toBe(false);
  });

  test('again needs --replace, which revokes the registration before', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    const { token } = folder.enrolled(hub);
    expect(await folder.run(enrollAt(hub))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/enrolled already .* --replace/),
    });
    expect(hub.calls).toEqual([]);
    expect(await enrollApproved(hub, folder, enrollAt(hub, '--replace'))).toBe(0);
    expect(hub.bearers.map(({ isRevoked }) => isRevoked)).toEqual([true, false]);
    expect(folder.json('credential').current).not.toBe(token);
  });

  test('survives a hub that answers badly for a while', async () => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    hub.fault({ path: '/api/agent/enrollment-requests/claim', status: 503, times: 1 });
    hub.fault({ path: '/api/agent/enrollment-requests/claim', status: 429, headers: { 'retry-after': '1' }, times: 1 });
    expect(await enrollApproved(hub, folder)).toBe(0);
  });
});

test('HTTPS: a certificate that cannot be verified is refused; --ca names its authority, for run too', async () => {
  const authority = await createAuthority();
  await using hub = await startAgentHub(await authority.issue(['127.0.0.1']));
  using folder = agentFolder();
  expect(await folder.run(enrollAt(hub))).toMatchObject({ code: 1, stderr: expect.stringContaining('with --ca FILE') });
  expect(hub.calls).toEqual([]);
  const ca = `${folder.path}.pem`;
  writeFileSync(ca, authority.cert);
  expect(await enrollApproved(hub, folder, enrollAt(hub, '--ca', ca))).toBe(0);
  rmSync(ca);
  folder.seen(2);
  await using running = folder.start(['run']);
  await running.printed(/^gatehouse agent ready/m);
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
  expect(hub.stored).toHaveLength(1);
});

describe('a request that is not accepted', () => {
  test.each([
    ['a wrong code', {}, ['--code', 'ZZZZZZ'], /enrollment_code_refused/],
    [
      'plain HTTP that the hub refuses',
      {
        path: '/api/agent/enrollment-requests',
        status: 400,
        body: { error: 'use https, or let an administrator accept plain HTTP', code: 'agent_transport' },
      },
      [],
      /the hub refuses this connection: use https, or let an administrator accept plain HTTP/,
    ],
    [
      'a hub without Agents',
      { path: '/api/agent/enrollment-requests', status: 404 },
      [],
      /is this the address of a hub that knows Agents/,
    ],
  ])('%s', async (_, fault, args, sentence) => {
    await using hub = await startAgentHub();
    using folder = agentFolder();
    if ('path' in fault) {
      hub.fault(fault);
    }
    const code = args.length > 0 ? args : ['--code', hub.code];
    const ended = await folder.run(['enroll', '--hub', hub.url.href, ...fileStore, ...code]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
    expect(existsSync(folder.files.pending)).toBe(false);
  });

  test('plain HTTP to another machine is refused before anything is sent', async () => {
    using folder = agentFolder();
    const ended = await folder.run(['enroll', '--hub', 'http://192.0.2.1:3000', '--code', 'AB23CD', ...fileStore]);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/list of programs.*bearer.*forged.*--accept-plaintext/),
    });
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown option', ['enroll', '--bogus'], /--bogus.*see --help/],
    ['an unknown store', ['enroll', '--store', 'keyutils'], /--store must be secret-service, sealed or file/],
    ['no hub', ['enroll'], /--hub is needed/],
    ['no address', ['enroll', '--hub', 'hub'], /--hub must be an address/],
    ['a secret in the address', ['enroll', '--hub', 'https://a:b@hub.example'], /--hub must be an address/],
    ['no code and no terminal', ['enroll', '--hub', 'http://127.0.0.1:9', '--store', 'file'], /--code is needed/],
    [
      'a code of another form',
      ['enroll', '--hub', 'http://127.0.0.1:9', '--store', 'file', '--code', 'AB'],
      /six letters and digits/,
    ],
    ['a wrong interval', ['run', '--every', '4'], /--every must be a whole number from 5 to 300/],
  ])('%s: one line on stderr, exit 2', async (_, args, sentence) => {
    using folder = agentFolder();
    const ended = await folder.run(args);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) });
    const lines = ended.stderr.trimEnd().split('\n');
    expect(lines.filter((line) => !line.includes('warning'))).toHaveLength(1);
  });
});
