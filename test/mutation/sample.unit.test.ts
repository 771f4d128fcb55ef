// Which changes a mutation run tries, and how it counts them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { areas } from './areas.ts';
import { describeSurvivor, outcomeOf, scoreRow } from './outcome.ts';
import { type Change, errorPaths, sampleOf } from './sample.ts';
import { withRow } from './scores.ts';

const source = `export function f(a: number) {
  try {
    return a + 1;
  } catch (error) {
    return a - 1;
  } finally {
    a += 2;
  }
}
if (found.error) {
  f(3);
}
work().catch(() => f(4));
const life = {
  [Symbol.dispose]() {
    f(5);
  },
};
`;

test('error paths are catch and finally, conditions that name an error, what is given to catch, and disposal', () => {
  const lines = new Set(errorPaths('f.ts', source).flatMap(({ from, to }) => range(from, to)));
  const texts = source.split('\n');
  const inside = (text: string) => lines.has(texts.findIndex((line) => line.includes(text)));
  expect(['a - 1', 'a += 2', 'f(3)', 'f(4)', 'f(5)'].filter((text) => !inside(text))).toEqual([]);
  expect(inside('a + 1')).toBe(false);
});

/** A change of each number of 40 lines; the first 10 are on an error path. */
function changesIn(folder: string, shift = 0): Change[] {
  mkdirSync(path.join(folder, 'src'), { recursive: true });
  const file = path.join(folder, 'src', 'f.ts');
  const body = Array.from({ length: 40 }, (_, at) => `  n += ${at};`);
  const text = ['try {', '  n = 0;', '} catch {', ...body.slice(0, 10), '}', ...body.slice(10)];
  const lines = [...Array.from({ length: shift }, () => '// more'), ...text];
  writeFileSync(file, lines.join('\n'));
  return lines.flatMap((line, at) => {
    const value = /\+= (\d+)/.exec(line)?.[1];
    const location = { start: { line: at, column: 7 }, end: { line: at, column: line.length - 1 } };
    return value ? [{ id: value, fileName: file, mutatorName: 'Number', replacement: '-1', location }] : [];
  });
}

test('the sample is a third of error paths, the same for a seed, also when the code has moved', () => {
  using folder = temporaryFolder();
  const sample = sampleOf(changesIn(folder.path), 12, '1');
  expect(sample.size).toBe(12);
  expect([...sample].filter((id) => Number(id) < 10).length).toBeGreaterThanOrEqual(4);
  expect(sampleOf(changesIn(folder.path, 5), 12, '1')).toEqual(sample);
  expect(sampleOf(changesIn(folder.path), 12, '2')).not.toEqual(sample);
});

test('a change that no test can see is not in the sample', () => {
  using folder = temporaryFolder();
  const changes = changesIn(folder.path);
  const equivalent = { file: 'src/f.ts', mutatorName: 'Number', from: '7', to: '-1', why: 'of this test' };
  const sample = sampleOf(changes, 1000, '1', [equivalent]);
  expect(changes.filter(({ id }) => !sample.has(id)).map(({ id }) => id)).toEqual(['7']);
});

const location = { start: { line: 3, column: 12 }, end: { line: 3, column: 17 } };
const result = (status: string) => ({ status, fileName: 'f.ts', mutatorName: 'Plus', replacement: 'a - 1', location });

test('a change is seen when a test fails or does not end; what cannot run does not count', () => {
  const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError', 'Killed'];
  const outcome = outcomeOf(statuses.map(result));
  expect(outcome).toMatchObject({ killed: 3, tried: 5, score: 60 });
  expect(outcome.survivors.map((survivor) => describeSurvivor(survivor, 'f.ts', source))).toEqual([
    'f.ts:3:12 Plus: a + 1 → a - 1',
    'f.ts:3:12 Plus: a + 1 → a - 1 (no test passes here)',
  ]);
  const better = { ...outcome, killed: 4, score: 80, seed: '1' };
  expect(scoreRow('notes', [better, { ...outcome, seed: '2' }], 3.2)).toBe(
    '| notes | 60 % | 3 of 5 (seed 2) | 1, 2 | 4 min |',
  );
});

test('the table of scores keeps one row for each area', () => {
  const table = Object.keys(areas).map((area) => `| ${area} | 85 % | 51 of 60 | 1 | 3 min |`);
  const changed = withRow(table.join('\n'), 'notes', '| notes | 90 % |').split('\n');
  expect(changed.filter((line) => line.startsWith('| notes |'))).toEqual(['| notes | 90 % |']);
  expect(changed).toHaveLength(table.length);
  expect(withRow(`| a | 85 % | 51 of 60 | 1 | 3 min |\n\nText`, 'new', '| new |').split('\n')[1]).toBe('| new |');
  expect(() => withRow('', 'notes', '')).toThrow('docs/testing.md has no table of scores');
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

test('what is given to the log is not in the sample; what is done there is', () => {
  using folder = temporaryFolder();
  mkdirSync(path.join(folder.path, 'src'));
  const file = path.join(folder.path, 'src', 'logged.ts');
  const lines = [
    'if (n > 1) {',
    "  options.log.warn({ n: n + 2, late: !isDone }, 'slow');",
    '  stop(n + 3);',
    '}',
    'dialog.warn(n + 4);',
  ];
  writeFileSync(file, lines.join('\n'));
  const changes = ['n > 1', 'n + 2', '!isDone', '{ n: n + 2, late: !isDone }', 'n + 3', 'n + 4'].map(
    (from, at): Change => {
      const line = lines.findIndex((text) => text.includes(from));
      const column = lines[line]?.indexOf(from) ?? 0;
      const location = { start: { line, column }, end: { line, column: column + from.length } };
      return { id: from, fileName: file, mutatorName: 'Number', replacement: String(at), location };
    },
  );
  expect([...sampleOf(changes, 1000, '1')].sort()).toEqual(['n + 3', 'n + 4', 'n > 1']);
});
