// The direction of imports holds, and each rule of `npm run check` is shown to fire on a planted violation.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { architectureViolations } from '../scripts/architecture.ts';
import { readSources, root } from '../scripts/sources.ts';
import { makeFolder } from './support/temporary-folder.ts';

test('the sources follow the direction of imports, and the scan saw them', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(100);
  expect(architectureViolations(sources)).toEqual([]);
});

describe('a planted import is found', () => {
  const planted: readonly [string, string, RegExp][] = [
    ['src/kernel/x.ts', "import { api } from '#contract/index.ts';", /kernel must not import contract/],
    ['src/contract/x.ts', "import { startHub } from '#hub/start/hub.ts';", /contract must not import hub/],
    ['src/hub/x.ts', "import { startRouter } from '#simulators/router/start.ts';", /hub must not import simulators/],
    ['src/hub/x.ts', "export { AppError } from '../kernel/errors.ts';", /leaves its area/],
    ['src/hub/x.ts', "const kernel = await import('../kernel/errors.ts');", /leaves its area/],
    ['src/hub/x.ts', "import { startHub } from '#hub/start/hub.ts';", /use a relative import/],
    ['src/mcp/x.ts', "import { startHub } from '#hub/start/hub.ts';", /mcp must not import hub/],
    ['src/web/x.ts', "import { api } from '#contract/index.ts';", /only types of contract/],
    ['src/web/x.ts', "import fs from 'node:fs';", /must not import node:fs/],
    ['src/upsget/x.ts', "import { z } from 'zod';", /without node_modules/],
    ['src/upsget/x.ts', "import { systemClock } from '#kernel/time/clock.ts';", /upsget must not import kernel/],
    ['src/kernel/mqtt/x.ts', "import { connect } from 'mqtt';", /without node_modules/],
    ['src/kernel/mqtt/x.ts', "import { messageOf } from '../errors.ts';", /leaves its area/],
    ['simulators/x.ts', "import { startHub } from '#hub/start/hub.ts';", /simulators must not import hub/],
    ['simulators/x.ts', "import { limits } from '#contract/limits.ts';", /simulators must not import contract/],
    ['gate/x.ts', "import { startRouter } from '#simulators/router/start.ts';", /gate must not import simulators/],
    ['src/hub/x.ts', "import Database from 'better-sqlite3';", /only src\/kernel\/sqlite\/sqlite.ts/],
    ['src/hub/identify/devices/x.ts', "import { Client } from 'ssh2';", /only src\/hub\/collect\/routers\/ssh.ts/],
    [
      'src/hub/identify/devices/x.ts',
      "import { recordObservations } from '../../record/connections/record.ts';",
      /only types of feature/,
    ],
    [
      'src/hub/record/sink/x.ts',
      "import type { Driver } from '../../collect/routers/driver.ts';",
      /record must not import collect/,
    ],
    ['src/hub/base/clock/x.ts', "import { openDatabase } from '../storage/database.ts';", /only types of feature/],
    ['src/hub/base/config.ts', "import { queries } from '../start/queries.ts';", /base must not import start/],
    [
      'src/hub/collect/routers/vendor-a/x.ts',
      "import type { VendorBError } from '../vendor-b/error.ts';",
      /vendor-a must not import vendor-b/,
    ],
    [
      'simulators/router/vendor-b.ts',
      "import { commandsA } from './vendor-a/commands.ts';",
      /vendor-b must not import vendor-a/,
    ],
    [
      'src/hub/x.ts',
      "import { readFileSync, writeFileSync } from 'node:fs';",
      /writeFileSync; use writeText of src\/kernel/,
    ],
    ['src/mcp/x.ts', "import { rename as move } from 'node:fs/promises';", /rename; use writeText/],
    [
      'src/upsget/x.ts',
      "import {\n  readFileSync,\n  renameSync,\n} from 'node:fs';",
      /use replaceFile of src\/upsget/,
    ],
    ['gate/x.ts', "import fs from 'node:fs';", /by name/],
    ['gate/x.ts', "import * as fs from 'node:fs/promises';", /by name/],
    ['gate/x.ts', "const fs = await import('node:fs');", /by name/],
    ['gate/x.ts', "import { openSync } from 'node:fs';\nopenSync(file, 'w', 0o600);", /open files for writing/],
    ['src/hub/x.ts', "import { constants, open } from 'node:fs/promises';\nconstants.O_RDWR;", /for writing/],
  ];
  test.each(planted)('%s: %s', (file, text, sentence) => {
    const found = architectureViolations(new Map([[file, text]]));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(sentence);
  });

  test('a circle of imports, types included', () => {
    const files = new Map([
      ['src/hub/identify/devices/x.ts', "import type { Y } from './y.ts';"],
      ['src/hub/identify/devices/y.ts', "import { z } from './z.ts';"],
      ['src/hub/identify/devices/z.ts', "import { x } from './x.ts';\nimport { w } from './w.ts';"],
      ['src/hub/identify/devices/w.ts', "import { v } from './v.ts';"],
    ]);
    const [x, y, z] = [...files.keys()];
    expect(architectureViolations(files)).toEqual([`${x} → ${y} → ${z} → ${x}: import each other`]);
  });

  test('what the table allows is not', () => {
    const allowed = new Map([
      ['src/hub/x.ts', "import { AppError } from '#kernel/errors.ts';\nimport { api } from '#contract/index.ts';"],
      ['src/web/x.ts', "import type { Api } from '#contract/index.ts';"],
      ['src/hub/identify/devices/x.ts', "import type { Flow } from '../../record/connections/flow.ts';"],
      ['src/hub/record/connections/x.ts', "import type { Devices } from '../../identify/devices/devices.ts';"],
      ['src/hub/record/sink/x.ts', "import { openDocument } from '../../base/settings/document.ts';"],
      ['src/hub/start/features.ts', "import { recordObservations } from '../record/connections/record.ts';"],
      ['src/hub/y.ts', "import { open, readFile } from 'node:fs/promises';\nawait open(file, 'r');"],
      ['simulators/x.ts', "import { writeFileSync } from 'node:fs';"],
    ]);
    expect(architectureViolations(allowed)).toEqual([]);
  });
});

const collection = 'The collection is read before the await';
const oldValue = 'The old value is read before the await';
const rejection = 'A rejection would be kept for ever';
const chain = 'After one rejection nothing of this chain runs any more';

/** Statements of an async function, and the sentence that the linter says of each (scripts/lint/). */
const awaits: readonly [string, string][] = [
  ['answers.push(await ask());', collection],
  ['state.answers.push(1, ...(await ask()));', collection],
  ['known.set(key, { value: await ask() });', collection],
  ['count += await ask();', oldValue],
  ['state.count -= 1 + (await ask());', oldValue],
  ['count = count + (await ask());', oldValue],
  ['state.all = { ...state.all, one: await ask() };', oldValue],
  ['let writing: Promise<void> | null = null; writing ??= write();', rejection],
  ['let writing: Promise<void> | undefined; writing ??= (async () => { await write(); })();', rejection],
  ['const state: { writing: Promise<void> | null } = { writing: null }; state.writing ??= write();', rejection],
  ['tail = tail.then(write);', chain],
  ['state.tail = state.tail.then(() => write());', chain],
];

const allowedAwaits = [
  'const answer = await ask(); answers.push(answer);',
  'ways.push(async () => { await ask(); }, function () { return ask(); }, { async run() { await ask(); } });',
  'state.all = await ask({ ...state.all });',
  'count = await ask(count);',
  'state.all = { ...state.all, one: async () => await ask() };',
  'let writing: Promise<void> | null = null; writing ??= write().finally(() => { writing = null; });',
  'let writing: Promise<void> | null = null; const write = async () => { try { await ask(); } finally { writing = null; } }; writing ??= write();',
  'let worker: Worker | null = null; worker ??= create();',
  'let model: string | null = null; model ??= await ask();',
  'tail = tail.then(write).catch(report);',
  'tail = tail.then(write, report);',
];

describe('the linter finds', () => {
  const planted: readonly [string, string, string, string][] = [
    ['the wall clock', 'src/hub/x.ts', 'export const at = () => Date.now();\n', 'noRestrictedGlobals'],
    [
      'a timer',
      'simulators/x.ts',
      'export const later = (f: () => void) => setTimeout(f, 1);\n',
      'noRestrictedGlobals',
    ],
    ['a read of the environment', 'src/hub/x.ts', 'export const home = process.env.HOME;\n', 'noProcessEnv'],
    ['a default export', 'src/hub/x.ts', 'export default 1;\n', 'noDefaultExport'],
    ['a barrel', 'src/hub/x.ts', "export * from './hub.ts';\n", 'noBarrelFile'],
    ['a badly named file', 'src/hub/BadName.ts', 'export const a = 1;\n', 'useFilenamingConvention'],
    ['a file over 300 lines', 'src/hub/x.ts', `${'export {};\n'.repeat(301)}`, 'noExcessiveLinesPerFile'],
    [
      'a function over 80 lines',
      'src/hub/x.ts',
      `export function f() {\n${'  g();\n'.repeat(81)}}\nfunction g() {}\n`,
      'noExcessiveLinesPerFunction',
    ],
    ['an import of the kernel', 'src/kernel/x.ts', "import '#contract/index.ts';\n", 'noRestrictedImports'],
    ['an import of a simulator', 'simulators/x.ts', "import '#hub/start/hub.ts';\n", 'noRestrictedImports'],
    [
      'a promise nobody waits for',
      'src/hub/x.ts',
      'const a = async () => 1;\na();\nexport {};\n',
      'noFloatingPromises',
    ],
    [
      'a switch that forgets a case',
      'src/hub/x.ts',
      "export function f(a: 'x' | 'y') {\n  switch (a) {\n    case 'x':\n      return 1;\n  }\n  return 2;\n}\n",
      'useExhaustiveSwitchCases',
    ],
    [
      'an address that is asked for before it is parsed',
      'src/hub/x.ts',
      'export const urlOf = (text: string) => (URL.canParse(text) ? new URL(text) : null);\n',
      'use URL.parse',
    ],
    ['an import cycle', 'src/hub/x.ts', "import { y } from './y.ts';\nexport const x = () => y;\n", 'noImportCycles'],
    ...awaits.map(([statement, sentence]): [string, string, string, string] => {
      return [statement, 'src/hub/x.ts', `export async function x() {\n${statement}\n}\n`, sentence];
    }),
  ];
  test.each(allowedAwaits)('nothing wrong with %s', (statement) => {
    const run = lint('src/hub/x.ts', `export async function x() {\n${statement}\n}\n`);
    expect(run.stdout + run.stderr).not.toContain('plugin');
  });

  test.each(planted)('%s', (_name, file, text, rule) => {
    const run = lint(file, text);
    expect(run.status).not.toBe(0);
    expect(run.stdout + run.stderr).toContain(rule);
  });
});

/** Runs the linter on a folder that holds this file, one that imports it, and the settings and rules of the project. */
function lint(file: string, text: string) {
  const folder = makeFolder('lint');
  try {
    for (const name of ['biome.json', 'scripts/lint']) {
      cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
    }
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
    writeFileSync(
      path.join(folder, path.dirname(file), 'y.ts'),
      "import { x } from './x.ts';\nexport const y = () => x;\n",
    );
    const biome = path.join(root, 'node_modules/.bin/biome');
    return spawnSync(biome, ['lint', '--colors=off', file], { cwd: folder, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
