// The units of hub, MCP server and Agent: systemd accepts them, they are hardened, and what they set is known to the program.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageContents } from '../../scripts/package/contents.ts';
import { root, runProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { parseUnit } from './systemd-unit.ts';

/** Highest exposure by `systemd-analyze security`; what keeps the Agent above 2.0 is in decision 039. */
const units = { hub: 1.5, mcp: 1.5, agent: 2.4 } as const;
const names = Object.keys(units) as (keyof typeof units)[];
const fileOf = (name: string) => `packaging/gatehouse-${name}.service`;
const textOf = (name: string) => readFileSync(path.join(root, fileOf(name)), 'utf8');
const pinsOf = { hub: 'env.txt', mcp: 'mcp-env.txt', agent: 'agent-env.txt' } as const;

/** Variables that a unit sets and the program does not know. */
function unknownVariables(text: string, pins: string): string[] {
  const known = readFileSync(path.join(root, 'test/pins', pins), 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[0]);
  return parseUnit(text)
    .all('Environment')
    .map((line) => line.split('=')[0]?.replace(/_FILE$/, '') ?? '')
    .filter((name) => !known.includes(name));
}

/** Credentials that are loaded and not named by a variable, or the other way round. */
function unmatchedCredentials(text: string): string[] {
  const unit = parseUnit(text);
  const loaded = unit.all('LoadCredential').map((line) => line.split(':')[0] ?? '');
  const named = unit.all('Environment').flatMap((line) => /=%d\/(.+)$/.exec(line)?.[1] ?? []);
  return [...loaded.filter((id) => !named.includes(id)), ...named.filter((id) => !loaded.includes(id))];
}

describe.each(names)('the unit of the %s', (name) => {
  test('is in the package, and its command is one of the program', async () => {
    expect(packageContents().map(({ target }) => target)).toContain(fileOf(name));
    const { command } = parseUnit(textOf(name));
    expect(command.slice(0, 2)).toEqual(['/usr/bin/env', 'gatehouse']);
    const { code, stdout } = await runProgram(['bin/gatehouse.js', ...command.slice(2), '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: gatehouse ${name}`) });
  });

  test('sets variables that the program has, and loads each credential that one of them names', () => {
    expect(unknownVariables(textOf(name), pinsOf[name])).toEqual([]);
    expect(unmatchedCredentials(textOf(name))).toEqual([]);
  });

  test('has a user, a state folder and a cache of its own, which nobody else can read', () => {
    const unit = parseUnit(textOf(name));
    const lines = ['DynamicUser', 'User', 'StateDirectory', 'StateDirectoryMode', 'CacheDirectory', 'UMask'];
    const own = `gatehouse-${name}`;
    expect(lines.map((line) => unit.all(line))).toEqual([['yes'], [own], [own], ['0700'], [own], ['0077']]);
  });
});

test('a misspelt variable and a credential that nothing loads are found', () => {
  const mcp = textOf('mcp');
  expect(unknownVariables(mcp.replace('MCP_PORT', 'MCP_PROT'), pinsOf.mcp)).toEqual(['MCP_PROT']);
  expect(unmatchedCredentials(mcp.replace('LoadCredential=audit-key', '# audit-key'))).toEqual(['audit-key']);
});

withPrograms('systemd', ['systemd-analyze'], () => {
  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };
  const exposure = (file: string) => {
    const { text } = analyze('security', '--offline=true', '--no-pager', file);
    return Number(/Overall exposure level for \S+: (\d+\.\d+)/.exec(text)?.[1] ?? Number.NaN);
  };

  test.each(names)('verify finds nothing in that of the %s', (name) => {
    expect(analyze('verify', path.join(root, fileOf(name)))).toEqual({ status: 0, text: '' });
  });

  test.each(names)('the exposure of that of the %s is not higher than is stated', (name) => {
    expect(exposure(path.join(root, fileOf(name)))).toBeLessThanOrEqual(units[name]);
  });

  test('a line that is taken away is seen', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'gatehouse-hub.service');
    writeFileSync(file, textOf('hub').replace('PrivateUsers=yes', '').replace('CapabilityBoundingSet=', ''));
    expect(exposure(file)).toBeGreaterThan(units.hub);
  });
});
