// `gatehouse gate` as its user types it: files, exit codes, one-line errors, and what a run leaves behind.

import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDescriptions } from '#gate/checks.ts';
import { unseen } from '#gate/unseen.ts';
import { writeText } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';
import { passingReport } from '../gate/passing-report.ts';
import { commit, type GateDesk, openGateDesk } from '../support/gate-desk.ts';
import { root, startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

/** A report of a run in which every check held, made `ageMs` ago. */
const madeAgo = (ageMs: number, evidenceSha256 = 'a'.repeat(64)) =>
  passingReport({ checkedAt: systemClock.now() - ageMs, evidenceSha256 });

const reportOf = (desk: GateDesk) => desk.settings.MCP_GATE_REPORT_PATH ?? '';

describe('gate run', () => {
  verifies(
    'gate.run.failure-exit gate.run.blocks-dns gate.report.private',
    'where nothing answers: a failing report in place of an older one that passed, exit 1, and no secret anywhere',
    async () => {
      await using desk = await openGateDesk();
      writeText(reportOf(desk), madeAgo(0));
      chmodSync(reportOf(desk), 0o644);
      const { code, stdout, stderr } = await desk.gate('run', '--env', desk.env);
      expect(code).toBe(1);
      expect(stdout).toContain('do not publish the name');
      const report = readFileSync(reportOf(desk), 'utf8');
      expect(JSON.parse(report)).toMatchObject({ status: 'failed', schemaVersion: 3, deployedCommit: commit });
      expect(JSON.parse(report).findings).toHaveLength(checkDescriptions.length);
      expect(statSync(reportOf(desk)).mode & 0o777).toBe(0o600);
      expect(report + stdout + stderr).not.toMatch(/marked-/);
    },
  );

  verifies('gate.run.rollback card.ships.gate', 'a published name that fails: it says how to go back', async () => {
    await using desk = await openGateDesk();
    const zone = { 'control.gatehouse.test': { A: ['192.0.2.53'] }, 'mcp.gatehouse.test': { A: ['192.0.2.10'] } };
    await using dns = await startNameServer({ zone });
    set(desk, 'MCP_GATE_DNS_SERVER', dns.server);
    set(desk, 'MCP_GATE_DNS_CONTROL_NAME', 'control.gatehouse.test');
    const published = await desk.gate('run', '--env', desk.env);
    expect(published.code).toBe(1);
    expect(published.stdout).toMatch(
      /in public DNS.*remove the public DNS aliases, disable the proxy route of \/mcp, return to private access, .*restore the last verified release/,
    );
    dns.setZone({ 'control.gatehouse.test': { A: ['192.0.2.53'] } });
    expect((await desk.gate('run', '--env', desk.env)).stdout).not.toContain('aliases');
  });

  it('interrupted: the report says failed, and the rest was not judged', async () => {
    await using desk = await openGateDesk();
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    set(desk, 'MCP_GATE_ISSUER', `https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    writeText(reportOf(desk), madeAgo(0));
    const connected = once(silent, 'connection');
    await using program = startProgram(['src/main.ts', 'gate', 'run', '--env', desk.env]);
    const [socket] = (await connected) as [Socket];
    program.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130 });
    expect(program.stderr()).toMatch(
      /stopped by SIGINT before \d+ checks were judged: .* says failed; run it again\n$/,
    );
    socket.destroy();
    silent.close();
    const report = JSON.parse(readFileSync(reportOf(desk), 'utf8')) as {
      status: string;
      findings: { because: string }[];
    };
    expect(report.status).toBe('failed');
    expect(report.findings.at(-1)?.because).toMatch(/interrupted/);
  });

  const privateFiles: Refused[] = [
    { what: 'an environment file others may read', spoil: (desk) => chmodSync(desk.env, 0o644), says: /chmod 600/ },
    {
      what: 'an environment file that is not there',
      spoil: (desk) => Object.assign(desk, { env: '/nowhere/gate.env' }),
      says: /does it exist/,
    },
    { what: 'evidence others may read', spoil: (desk) => chmodSync(desk.evidence, 0o640), says: /chmod 600/ },
    { what: 'evidence that is not there', spoil: (desk) => rmSync(desk.evidence), says: /does it exist/ },
  ];
  const ofOthers: Refused[] = [
    {
      what: 'an environment file of somebody else',
      spoil: (desk) => chownSync(desk.env, 65_534, 65_534),
      says: /another user.*chown/,
    },
    {
      what: 'evidence of somebody else',
      spoil: (desk) => chownSync(desk.evidence, 65_534, 65_534),
      says: /another user.*chown/,
    },
  ];
  verifies.each('gate.run.inputs', [...privateFiles, ...(process.getuid?.() === 0 ? ofOthers : [])], stops);

  it.each<[what: string, spoil: (desk: GateDesk) => void, says: RegExp]>([
    ['a setting nobody knows', (desk) => set(desk, 'MCP_GATE_READ_TOKN', 'x'), /MCP_GATE_READ_TOKN is no setting/],
    ['a setting that is missing', (desk) => set(desk, 'MCP_GATE_READ_TOKEN', ''), /MCP_GATE_READ_TOKEN: is not set\n$/],
    [
      'a report path that holds something else',
      (desk) => writeFileSync(reportOf(desk), 'my notes'),
      /no report of this gate/,
    ],
  ])('stops before anything is judged: %s', (what, spoil, says) => stops({ what, spoil, says }));

  it('refuses --evidence under the profile resource-server, which reads none, and takes a setting that names it', async () => {
    await using desk = await openGateDesk();
    const run = (...words: string[]) => desk.gate('run', '--env', desk.env, '--profile', 'resource-server', ...words);
    expect(await run('--evidence', desk.evidence)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^gatehouse gate run: --evidence is about a deployment of Gatehouse, and the profile is resource-server: leave it out/,
      ),
    });
    expect(desk.issuer.journal()).toEqual([]);
    expect(await run()).toMatchObject({ code: 1, stderr: '' });
  });
});

interface Refused {
  what: string;
  spoil: (desk: GateDesk) => void;
  says: RegExp;
}

/** Nothing is judged, and one line says why. */
async function stops({ spoil, says }: Refused): Promise<void> {
  await using desk = await openGateDesk();
  spoil(desk);
  const before = existsSync(reportOf(desk)) ? readFileSync(reportOf(desk), 'utf8') : null;
  const { code, stdout, stderr } = await desk.gate('run', '--env', desk.env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/marked-/);
  expect(existsSync(reportOf(desk)) ? readFileSync(reportOf(desk), 'utf8') : null).toBe(before);
  expect(desk.issuer.journal()).toEqual([]);
}

describe('signatures and verification', () => {
  it('keygen, sign, verify-report: a report stands, until anything about it changes', async () => {
    await using desk = await openGateDesk();
    const key = path.join(desk.folder, 'operator.key');
    expect((await desk.gate('keygen', '--out', key)).code).toBe(0);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect((await desk.gate('keygen', '--out', key)).code).toBe(2);
    const { createHash } = await import('node:crypto');
    const digest = createHash('sha256').update(readFileSync(desk.evidence)).digest('hex');
    const report = reportOf(desk);
    writeText(report, madeAgo(0, digest));
    expect((await desk.gate('sign', 'report', report, '--key', key)).code).toBe(0);
    const verify = (...args: string[]) => desk.gate('verify-report', report, '--commit', commit, ...args);
    expect(await verify('--evidence', desk.evidence, '--key', `${key}.pub`)).toMatchObject({ code: 0 });
    expect(await verify('--evidence', desk.evidence)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^the report is unsigned: .*without --key.* a text editor can\n/),
    });
    const said = (await verify('--key', `${key}.pub`)).stdout;
    expect(said).toMatch(
      /^the report stands, and is signed\nNot compared \(--endpoint\).*\nNot compared \(--evidence\)/,
    );
    expect(said).toContain('It is stated by Ada Example.');
    expect(said).toContain('The evidence is not signed (evidenceSigned: false)');
    const endpoint = ['--endpoint', 'https://mcp.gatehouse.test/mcp'];
    expect((await verify('--key', `${key}.pub`, ...endpoint)).code).toBe(0);
    expect(await verify('--endpoint', 'https://mcp.gatehouse.test/')).toMatchObject({
      code: 1,
      stdout: 'it is about another endpoint\n',
    });
    expect(await verify('--commit', 'f'.repeat(40))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('commit'),
    });
    writeText(desk.evidence, '{}');
    expect(await verify('--evidence', desk.evidence)).toMatchObject({ code: 1 });
    writeText(report, readFileSync(report, 'utf8').replace('"enabledRouters": 1', '"enabledRouters": 2'));
    expect(await verify('--key', `${key}.pub`)).toMatchObject({ code: 1, stdout: expect.stringContaining('changed') });
    writeText(report, madeAgo(25 * 3_600_000, digest));
    expect(await verify()).toMatchObject({ code: 1, stdout: 'it is too old\n' });
    rmSync(`${report}.dsse.json`);
    expect(await verify('--max-age', '2d', '--key', `${key}.pub`)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('there is no signature next to it'),
    });
    expect((await verify('--max-age-hours', '48')).code).toBe(3);
    for (const wrong of [
      ['--max-age', '25x'],
      ['--max-age', '31d'],
      ['--max-age', '1d', '--max-age-hours', '24'],
    ]) {
      expect((await verify(...wrong)).code).toBe(2);
    }
    const byHand = JSON.parse(madeAgo(0, digest)) as Record<string, unknown>;
    writeText(report, JSON.stringify({ ...byHand, privateCa: true }));
    expect(await verify()).toMatchObject({ code: 3, stdout: expect.stringContaining('A private CA was trusted') });
    writeText(report, JSON.stringify({ ...byHand, evidence: undefined }));
    expect(await verify()).toMatchObject({ code: 1, stdout: 'its parts do not agree with its checks\n' });
    expect((await desk.gate('verify-report', desk.evidence)).code).toBe(2);
  });
});

describe('the command', () => {
  it('explains every check, in words and as JSON', async () => {
    await using desk = await openGateDesk();
    const words = await desk.gate('explain');
    const { stdout } = await desk.gate('explain', '--json');
    expect(JSON.parse(stdout)).toEqual(checkDescriptions);
    for (const { id, asks, remedy, finds } of checkDescriptions) {
      expect(words.stdout).toContain(`${id}  (`);
      for (const sentence of [asks, remedy, ...finds]) {
        expect(words.stdout).toContain(sentence);
      }
    }
    for (const sentence of unseen) {
      expect(words.stdout).toContain(sentence);
    }
  });

  it('explains one check with the mistakes it finds; one that there is not is named', async () => {
    await using desk = await openGateDesk();
    const { stdout } = await desk.gate('explain', 'dns.absent');
    expect(stdout.match(/^\S+/gm)).toEqual(['dns.absent']);
    expect(stdout).toContain('finds  network: the name is in public DNS already');
    const { code, stderr } = await desk.gate('explain', 'dns.absnt');
    expect(code).toBe(2);
    expect(stderr).toMatch(/no check "dns.absnt"/);
  });

  it('writes a template once, and never over a file', async () => {
    await using desk = await openGateDesk();
    const out = path.join(desk.folder, 'new.json');
    expect((await desk.gate('template', '--profile', 'cloud_idp', '--commit', commit, '--out', out)).code).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveProperty('idpCompatibility');
    expect((await desk.gate('template', '--out', out)).code).toBe(2);
  });

  it.each([
    [[], 2],
    [['--help'], 0],
    [['--version'], 0],
    [['nope'], 2],
    [['run'], 2],
    [['run', '--nope'], 2],
    [['collect', 'nope'], 2],
    [['sign', 'notes', 'x', '--key', 'y'], 2],
    [['template', '--profile', 'lax'], 2],
    ...['init', 'run', 'explain', 'template', 'collect', 'attest', 'keygen', 'sign', 'verify-report'].map(
      (name): [string[], number] => [[name, '--help'], 0],
    ),
  ])('gate %j ends with %i', async (args, code) => {
    await using program = startProgram(['src/main.ts', 'gate', ...args], { cwd: root });
    expect(await program.ended).toMatchObject({ code });
    const [spoken, silent] =
      code === 0 || args.length === 0 ? [program.stdout(), program.stderr()] : [program.stderr(), program.stdout()];
    expect(spoken).not.toBe('');
    expect(silent).toBe('');
  });
});

function set(desk: GateDesk, name: string, value: string): void {
  desk.settings = { ...desk.settings, [name]: value };
  desk.save();
}
