// Which test files `npm test -- --changed` looks at: those of the areas that the changed files belong to, and changed tests.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { areas, areasOf } from '../mutation/areas.ts';

/**
 * The patterns of a project, or with `--changed` in `words` those of its test files that may see what differs from the last
 * commit, untracked files included.
 */
export function narrowToChanged(patterns: readonly string[], words: readonly string[] = process.argv): string[] {
  return words.includes('--changed') ? narrowTo(changedFiles(), patterns) : [...patterns];
}

/** Test files of `patterns` that may see a change in `files`. A file of no area is left to the whole run. */
export function narrowTo(files: readonly string[], patterns: readonly string[]): string[] {
  const ofAreas = new Set(files.flatMap(areasOf).flatMap((name) => areas[name]?.tests ?? []));
  const tests = [...ofAreas].flatMap((pattern) => globSync(`${pattern}.test.ts`)).concat(files);
  const asked = tests.filter(
    (file) => file.endsWith('.test.ts') && patterns.some((one) => path.matchesGlob(file, one)),
  );
  // An empty list would stand for every test.
  return asked.length === 0 ? ['no-test-is-touched'] : [...new Set(asked)].sort();
}

function changedFiles(): string[] {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).split('\n');
  return [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')].filter(Boolean);
}
