// Everything that npm installs for the programs and for their development: licences, bytes, scripts, known vulnerabilities.
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { root } from '../scripts/sources.ts';
import { startProgram } from './support/program.ts';

interface Entry {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([folder]) => folder !== '');
const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, '');

/** Under these, anything may be installed, and given away with the programs. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'];
const everywhere = new Set([...permissive, 'MIT-0', 'Unlicense', 'Zlib']);
/** Only as tools of the development: nothing of them is in the package. */
const development = new Set(['MPL-2.0', 'CC-BY-4.0']);
/** Packages whose manifest names its licence in an old form, or in a file: what it says there, read by a person. */
const readByHand: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  '@modelcontextprotocol/inspector': 'MIT AND Apache-2.0',
};

/** The SPDX expression holds with these ids: one side of OR, both sides of AND. */
function holds(expression: string, allowed: ReadonlySet<string>): boolean {
  const sides = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return sides.some((side) => side.split(' AND ').every((id) => allowed.has(id)));
}

const refused = (all: readonly (readonly [string, Entry])[]) =>
  all.flatMap(([folder, { license, dev = false }]) => {
    const said = readByHand[nameOf(folder)] ?? license ?? 'none';
    const allowed = dev ? new Set([...everywhere, ...development]) : everywhere;
    return holds(said, allowed) ? [] : [`${folder}: ${said}`];
  });

describe('licences', () => {
  test('of everything that is installed, for the programs or for development, are on the list', () => {
    expect(entries.length).toBeGreaterThan(400);
    expect(refused(entries)).toEqual([]);
    expect(Object.keys(readByHand).filter((name) => !entries.some(([folder]) => nameOf(folder) === name))).toEqual([]);
  });

  test.each([
    ['GPL-3.0-only', true, true],
    ['MPL-2.0', false, true],
    ['MPL-2.0', true, false],
    ['none', true, true],
    ['(BSD-3-Clause OR GPL-2.0)', false, false],
    ['(MIT AND GPL-2.0)', false, true],
  ] as const)('%s, for development: %s, is refused: %s', (license, dev, isRefused) => {
    expect(refused([['node_modules/planted', { version: '1.0.0', license, dev }]]).length === 1).toBe(isRefused);
  });

  test('what was read by hand is what its licence file says', () => {
    const files = Object.keys(readByHand).map((name) => globSync(`node_modules/${name}/LICEN[CS]E*`, { cwd: root })[0]);
    expect(
      files.every((file) => file === undefined || /permission is hereby granted|apache license/i.test(read(file))),
    ).toBe(true);
    expect(files.filter((file) => file !== undefined).length).toBeGreaterThanOrEqual(3);
  });
});

test('the lock says of every package what its bytes must be, and names no registry', () => {
  const without = entries.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
  expect(without.map(([folder]) => folder)).toEqual([]);
  expect(read('package-lock.json')).not.toContain('"resolved"');
});

test('no script of a package runs at its installation, and who has one is named', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const scripted = entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => nameOf(folder));
  expect(Object.keys(allowScripts)).toEqual(expect.arrayContaining(scripted.filter((name) => name !== 'fsevents')));
  expect(Object.values(allowScripts)).not.toContain(true);
});

test('every version that is asked for is exact', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const asked = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

describe('npm run audit, asking a registry', () => {
  const advisory = { id: 1, url: 'https://advisories.example/1', title: 'planted', severity: 'high' };
  const planted = { ...advisory, vulnerable_versions: '<99.0.0', cwe: [], cvss: { score: 0 } };

  async function audit(status: number, answer: unknown): Promise<{ code: number | null; said: string }> {
    const registry = createServer((request, response) => {
      request.resume();
      const isQuestion = request.url?.includes('/advisories/bulk') === true;
      response.writeHead(isQuestion ? status : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isQuestion ? answer : {}));
    });
    const address = await listen(registry);
    try {
      const env = { npm_config_registry: `http://${address}/`, npm_config_fetch_retries: '0' };
      await using program = startProgram([path.join(root, 'scripts/audit.ts')], { env, cwd: root });
      const { code } = await program.ended;
      return { code, said: program.stdout() + program.stderr() };
    } finally {
      await close(registry);
    }
  }

  test('that knows of nothing: 0', async () => {
    expect(await audit(200, {})).toEqual({ code: 0, said: expect.stringContaining('no known vulnerability') });
  });

  test('that knows of a vulnerability: 1, with its package', async () => {
    const { code, said } = await audit(200, { fastify: [planted] });
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/high: fastify/) });
  });

  test('that does not answer: 0, and says that nothing was looked at', async () => {
    expect(await audit(404, {})).toEqual({ code: 0, said: expect.stringMatching(/^audit: not done\./) });
  });
});
