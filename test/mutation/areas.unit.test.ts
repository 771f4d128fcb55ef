// Every file of the product is in one area of the mutation runs, and the tests of each area exist.
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { areas, areasOf, unmeasured } from './areas.ts';

const sources = globSync('{src,simulators,gate}/**/*.{ts,tsx}').map((file) => file.split(path.sep).join('/'));
const isUnmeasured = (file: string) => Object.keys(unmeasured).some((pattern) => path.matchesGlob(file, pattern));

test('each source file is in exactly one area, or is named with a reason', () => {
  expect(sources.length).toBeGreaterThan(1000);
  const wrong = sources
    .filter((file) => !file.endsWith('.d.ts'))
    .map((file) => ({ file, areas: areasOf(file) }))
    .filter(({ file, areas: found }) => (isUnmeasured(file) ? found.length !== 0 : found.length !== 1));
  expect(wrong).toEqual([]);
});

test('a file of a new folder is in no area', () => {
  expect(areasOf('src/hub/planted/feature.ts')).toEqual([]);
  expect(areasOf('src/hub/identify/notes/notes.ts')).toEqual(['notes']);
});

test.each(Object.entries(areas))('%s changes files, and each pattern of its tests finds some', (_name, area) => {
  for (const pattern of area.mutate.filter((one) => !one.startsWith('!'))) {
    expect(globSync(pattern).length, pattern).toBeGreaterThan(0);
  }
  for (const pattern of area.tests) {
    expect(globSync(`${pattern}.test.ts`).length, pattern).toBeGreaterThan(0);
  }
});
