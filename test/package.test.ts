// What the npm package is built from: names of files in programs, licences of what comes with it.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { billOfMaterials, builtIntoTheWebUi, listLicences } from '../scripts/package/bill-of-materials.ts';
import { packageContents } from '../scripts/package/contents.ts';
import { findStrings, toJavaScript } from '../scripts/package/javascript.ts';
import { packageLock, packageManifest } from '../scripts/package/manifest.ts';
import { missingFiles } from '../scripts/package/missing-files.ts';
import { followImports, simulatorContents, simulatorManifest, toDeclaration } from '../scripts/package/simulators.ts';
import { root } from '../scripts/sources.ts';
import { temporaryFolder, writeTree } from './support/temporary-folder.ts';

describe('a program as JavaScript', () => {
  test('names other files by the ending that they have in the package, and stays on its lines', () => {
    const source = [
      "import { a } from '#kernel/a.ts';",
      "import type { B } from './b.ts';",
      'export const c: URL = new URL("../c.ts", import.meta.url);',
      'const later = () => import(`./d.ts`); // says "e.ts"',
    ].join('\n');
    expect(
      toJavaScript('x.ts', source)
        .split('\n')
        .map((line) => line.replace(/ +/g, ' ').trim()),
    ).toEqual([
      "import { a } from '#kernel/a.js';",
      '',
      'export const c = new URL("../c.js", import.meta.url);',
      'const later = () => import(`./d.js`); // says "e.ts"',
    ]);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program.
  const pieced = 'const file = `./${name}.ts`;';
  test.each([pieced, "const file = 'thread-main.ts';"])('%s stops the build', (source) => {
    expect(() => toJavaScript('x.ts', source)).toThrow(/^x\.ts names ".*\.ts" in a string: write new URL/);
  });

  test('strings are found in the order of the text, also behind letters of several bytes', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program.
    expect(findStrings("f('ü', `é${'b'}c`)").map(({ value }) => value)).toEqual(['ü', 'é', 'b', 'c']);
  });

  test('a file that is named and not there is found: a thread, an import, a file of an area', () => {
    using folder = temporaryFolder();
    const files = {
      'package.json': '{"imports":{"#kernel/*":"./src/kernel/*"}}',
      'src/kernel/here.js': '',
      'src/main.js': [
        "import '#kernel/here.js';",
        "import '#kernel/gone.js';",
        "import './kernel/here.js';",
        "new URL('./thread-main.js', import.meta.url);",
      ].join('\n'),
    };
    writeTree(folder.path, files);
    expect(missingFiles(folder.path)).toEqual([
      'src/main.js names #kernel/gone.js, which is not in the package',
      'src/main.js names ./thread-main.js, which is not in the package',
    ]);
  });
});

test('the package is what runs: no web source, test, bench or fixture is in it', () => {
  const targets = packageContents().map(({ target }) => target);
  expect(targets).toEqual(
    expect.arrayContaining([
      'bin/gatehouse.js',
      'simulators/main.js',
      'src/hub/identify/threat/thread-main.js',
      'docs/run.md',
      'docs/openapi.json',
      'packaging/monitoring/gatehouse-dashboard.json',
      'packaging/monitoring/gatehouse-alerts.yaml',
    ]),
  );
  const places = /^(?:src|gate|bin|docs|packaging|simulators)\/|^[A-Z]+(?:\.md)?$/;
  expect(targets.filter((target) => !places.test(target))).toEqual([]);
  expect(targets.filter((target) => /^src\/web|\.ts$|\.test\.|(?:^|\/)test\//.test(target))).toEqual([]);
});

test('its manifest has nothing for development, and its lock no registry', () => {
  const fields = ['bin', 'dependencies', 'description', 'engines', 'files', 'imports', 'license', 'name'];
  expect(Object.keys(packageManifest()).sort()).toEqual([...fields, 'optionalDependencies', 'type', 'version']);
  const lock = JSON.stringify(packageLock());
  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toMatch(/vitest|biome/);
});

test('the package of simulators is what they import: no hub, no page, and nothing for development', () => {
  const targets = simulatorContents().map(({ target }) => target);
  expect(targets).toEqual(expect.arrayContaining(['bin/gatehouse-simulators.js', 'simulators/index.js', 'README.md']));
  const places =
    /^(?:simulators|bin)\/[\w/-]+\.js$|^src\/(?:kernel|capture)\/[\w/-]+\.js$|^(?:fixtures\/ups|simulators\/scenarios)\/|^[A-Z]+(?:\.md)?$|^Containerfile$/;
  expect(targets.filter((target) => !places.test(target))).toEqual([]);
  const { dependencies, version } = simulatorManifest() as { dependencies: Record<string, string>; version: string };
  expect(version).toBe(packageManifest().version);
  expect(Object.values(dependencies)).not.toContain(undefined);
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['aedes', 'oidc-provider', 'ssh2']));
  expect(
    Object.keys(dependencies).filter((name) =>
      /vitest|testcontainers|better-sqlite3|preact|mqtt|openid-client/.test(name),
    ),
  ).toEqual([]);
});

test('imports are followed through files, types and declarations', () => {
  using folder = temporaryFolder();
  writeTree(folder.path, {
    'simulators/a.ts': "import '#kernel/k.ts';\nimport type { B } from './b/b.ts';\nimport x from '@scope/one/sub';\n",
    'simulators/b/b.ts': "export const later = () => import('two');\nimport '../a.ts';\n",
    'src/kernel/k.ts': "import { readFileSync } from 'node:fs';\n",
    'simulators/left-out.ts': "import 'three';\n",
  });
  const { files, packages } = followImports(['simulators/a.ts'], folder.path, '.ts');
  expect(files).toEqual(['simulators/a.ts', 'simulators/b/b.ts', 'src/kernel/k.ts']);
  expect([...packages].sort()).toEqual(['@scope/one', 'two']);
  expect(toDeclaration('import("./a.ts"); export * from "#kernel/b.ts"; // says "e.ts"')).toBe(
    'import("./a.js"); export * from "#kernel/b.js"; // says "e.ts"',
  );
});

describe('the bill of materials', () => {
  /** Licences under which the package and its page may be given away together with this one. */
  const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0'];
  const allowed = new Set([...permissive, 'ISC', 'MIT', 'MIT-0', 'Unlicense']);
  const isAllowed = (licence: string) =>
    licence
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((id) => allowed.has(id));
  const bill = billOfMaterials('2026-01-01T00:00:00+00:00');

  test.each([
    ['gatehouse', bill],
    ['gatehouse-simulators', billOfMaterials(undefined, simulatorManifest(), [])],
  ])('of %s names only components under allowed licences', (name, { metadata, components }) => {
    expect(metadata.component).toMatchObject({ name, 'bom-ref': `${name}@${packageManifest().version}` });
    expect(components.length).toBeGreaterThan(80);
    const refused = components.filter((component) => {
      const licences = listLicences(component);
      return licences.length === 0 || !licences.every(isAllowed);
    });
    expect(refused.map((component) => [component['bom-ref'], listLicences(component)])).toEqual([]);
    expect([['GPL-3.0-only'], ['(MIT OR GPL-2.0)'], ['none']].map(([licence = '']) => isAllowed(licence))).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('names all that is installed and what is built into the page, and depends on nothing but its input', () => {
    const versions = bill.components.map(({ name, version }) => `${name}@${version}`);
    const { packages } = packageLock() as { packages: Record<string, { version: string }> };
    const installed = Object.entries(packages)
      .filter(([folder]) => folder !== '')
      .map(([folder, { version }]) => `${folder.replace(/.*node_modules\//, '')}@${version}`);
    expect(versions).toEqual(expect.arrayContaining(installed));
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...builtIntoTheWebUi]));
    expect(names).not.toContain('vitest');
    expect(bill.metadata.component.name).toBe('gatehouse');
    expect(billOfMaterials('2026-01-01T00:00:00+00:00')).toEqual(bill);
  });

  test('what the page imports is in its list', () => {
    const files = [...globSync('src/web/**/*.{ts,tsx}', { cwd: root }), 'scripts/world-map.ts'];
    const imported = /(?:^import (?!type )[^;]*?from |require\()['`]((?:@[^/'`]+\/)?[^./'`#][^/'`]*)/gm;
    const names = files.flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(imported)].map(([, name = '']) => name),
    );
    expect([...new Set(names)].filter((name) => !/^(?:node:|virtual:)/.test(name)).sort()).toEqual(builtIntoTheWebUi);
  });
});
