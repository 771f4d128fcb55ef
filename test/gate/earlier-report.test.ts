// A report that says ready must not outlive a later run, whatever becomes of that run.
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readyStatus } from '#gate/report.ts';
import { writeText } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type GateDesk, openGateDesk } from '../support/gate-desk.ts';
import { root, startProgram } from '../support/program.ts';
import { passingReport } from './passing-report.ts';

const entry = path.join(root, 'src/main.ts');
const defaultName = '.monitor-mcp-publication-gate.json';
const reportOf = (desk: GateDesk) => desk.settings.MCP_GATE_REPORT_PATH ?? '';

function leaveReady(file: string): void {
  writeText(file, passingReport({ checkedAt: systemClock.now() }));
  expect(readFileSync(file, 'utf8')).toContain(readyStatus);
}

function set(desk: GateDesk, changes: Record<string, string>): void {
  desk.settings = { ...desk.settings, ...changes };
  desk.save();
}

/** Runs the gate in the desk's own folder. */
async function run(desk: GateDesk, ...args: string[]) {
  await using program = startProgram([entry, 'gate', 'run', ...args], { cwd: desk.folder });
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

describe('an earlier report goes first', () => {
  it.each<[what: string, spoil: (desk: GateDesk) => void, args: string[]]>([
    ['a misspelt setting', (desk) => set(desk, { MCP_GATE_READ_TOKN: 'x' }), []],
    ['a bad number', (desk) => set(desk, { MCP_GATE_TIMEOUT_MS: '10s' }), []],
    ['a missing token', (desk) => set(desk, { MCP_GATE_READ_TOKEN: '' }), []],
    ['an environment file that others may read', (desk) => chmodSync(desk.env, 0o644), []],
    ['no evidence', (desk) => rmSync(desk.evidence), []],
    ['a misspelt option', () => {}, ['--evidnce', 'x']],
    ['an argument too many', () => {}, ['now']],
  ])('%s', async (_what, spoil, args) => {
    await using desk = await openGateDesk();
    leaveReady(reportOf(desk));
    writeText(`${reportOf(desk)}.dsse.json`, '{}');
    spoil(desk);
    expect(await run(desk, '--env', desk.env, ...args)).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(reportOf(desk))).toBe(false);
    expect(existsSync(`${reportOf(desk)}.dsse.json`)).toBe(false);
  });

  it('also where only the option or the default says where it is', async () => {
    await using desk = await openGateDesk();
    const elsewhere = path.join(desk.folder, 'elsewhere.json');
    leaveReady(elsewhere);
    const nowhere = path.join(desk.folder, 'nowhere.env');
    expect((await run(desk, '--env', nowhere, '--report', elsewhere)).code).toBe(2);
    expect(existsSync(elsewhere)).toBe(false);
    const { MCP_GATE_REPORT_PATH: _, ...settings } = desk.settings;
    desk.settings = { ...settings, MCP_GATE_TIMEOUT_MS: '10s' };
    desk.save();
    const usual = path.join(desk.folder, defaultName);
    leaveReady(usual);
    expect((await run(desk, '--env', desk.env)).code).toBe(2);
    expect(existsSync(usual)).toBe(false);
    leaveReady(usual);
    const { code, stderr } = await run(desk, '--env', nowhere);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/does it exist.*is not known/) });
    expect(existsSync(usual)).toBe(false);
    set(desk, { MCP_GATE_TIMEOUT_MS: '1000' });
    expect((await run(desk, '--env', desk.env)).stdout).toContain(`Report: ${usual}\n`);
  });

  it('with a path of its own file (NAME_FILE), and never another file', async () => {
    await using desk = await openGateDesk();
    const file = path.join(desk.folder, 'where');
    const report = reportOf(desk);
    writeText(file, `${report}\n`);
    leaveReady(report);
    set(desk, { MCP_GATE_REPORT_PATH: '', MCP_GATE_REPORT_PATH_FILE: file, MCP_GATE_TIMEOUT_MS: '10s' });
    expect((await run(desk, '--env', desk.env)).code).toBe(2);
    expect(existsSync(report)).toBe(false);
    writeText(report, 'my notes');
    expect(await run(desk, '--env', desk.env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is no report of this gate'),
    });
    expect(readFileSync(report, 'utf8')).toBe('my notes');
  });

  it('two runs at once, and one that is killed: the second waits for nobody, nothing is left that says ready', async () => {
    await using desk = await openGateDesk();
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    set(desk, { MCP_GATE_ISSUER: `https://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    leaveReady(reportOf(desk));
    const connected = once(silent, 'connection');
    await using first = startProgram([entry, 'gate', 'run', '--env', desk.env]);
    const [socket] = (await connected) as [Socket];
    expect(await run(desk, '--env', desk.env)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`another run \\(process ${first.pid}\\)`)),
    });
    expect(existsSync(reportOf(desk))).toBe(false);
    first.kill('SIGKILL');
    await first.ended;
    expect(existsSync(reportOf(desk))).toBe(false);
    socket.destroy();
    silent.close();
    expect((await run(desk, '--env', desk.env)).code).toBe(1);
  });

  it('a folder that is not there is said before anything is probed', async () => {
    await using desk = await openGateDesk();
    const folder = path.join(desk.folder, 'reports');
    const args = ['--env', desk.env, '--report', path.join(folder, 'report.json')];
    expect(await run(desk, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written') });
    expect(desk.issuer.journal()).toEqual([]);
    mkdirSync(folder);
    expect((await run(desk, ...args)).code).toBe(1);
  });
});
