// What a reader thread loads, it loads at each start of the hub, which waits for it: no validator, no web server.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findImports } from '../../../../scripts/architecture.ts';
import { root } from '../../../support/program.ts';

const aliases: Readonly<Record<string, string>> = {
  '#kernel/': 'src/kernel/',
  '#contract/': 'src/contract/',
  '#capture/': 'src/capture/',
};

/** Packages that `file` loads, directly or through other files; each with the file that asks for it. */
function packagesOf(file: string, seen = new Set<string>()): Map<string, string> {
  const packages = new Map<string, string>();
  for (const { specifier, typeOnly } of findImports(readFileSync(path.join(root, file), 'utf8'))) {
    const alias = Object.keys(aliases).find((start) => specifier.startsWith(start));
    const next = specifier.startsWith('.')
      ? path.join(path.dirname(file), specifier)
      : alias && specifier.replace(alias, aliases[alias] ?? '');
    if (typeOnly || specifier.startsWith('node:')) {
      continue;
    }
    if (next === undefined) {
      packages.set(specifier, file);
    } else if (!seen.has(next)) {
      seen.add(next);
      for (const [name, from] of packagesOf(next, seen)) {
        packages.set(name, from);
      }
    }
  }
  return packages;
}

test.each([
  'src/hub/start/queries.ts',
  'src/hub/record/connections/summary/queries.ts',
  'src/hub/base/readers/worker.ts',
])('%s loads SQLite and addresses alone', (file) => {
  const others = [...packagesOf(file)].filter(([name]) => !['better-sqlite3', 'ipaddr.js'].includes(name));
  expect(others).toEqual([]);
});

test('the walk finds what a file loads through others', () => {
  expect(packagesOf('src/hub/base/config.ts').has('zod')).toBe(true);
});
