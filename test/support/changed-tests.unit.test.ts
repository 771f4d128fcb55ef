// `npm test -- --changed`: a changed source leads to the tests of its area, a changed test to itself.
import { expect, test } from 'vitest';
import { narrowTo, narrowToChanged } from './changed-tests.ts';

const labs = ['test/**/*.test.ts'];

test('a source leads to the tests of its area within the project, and to no other', () => {
  const found = narrowTo(['src/hub/identify/notes/notes.ts'], labs);
  expect(found).toContain('test/rest/notes.test.ts');
  expect(found).not.toContain('test/rest/beacons.test.ts');
  expect(narrowTo(['src/hub/identify/notes/notes.ts'], ['test/e2e/**/*.test.ts'])).toEqual(['no-test-is-touched']);
});

test('a test leads to itself; a text or a file of no area to nothing', () => {
  expect(narrowTo(['test/rest/beacons.test.ts', 'README.md'], labs)).toEqual(['test/rest/beacons.test.ts']);
  expect(narrowTo(['src/web/main.tsx'], labs)).toEqual(['no-test-is-touched']);
});

test('without --changed a project has all its patterns', () => {
  expect(narrowToChanged(labs, ['vitest', 'run'])).toEqual(labs);
});
