// `npm test` is red when a cited test did not run: a fixture project with each way, run as a child.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';

const config = 'test/support/run-fixture/vitest.config.ts';

/** What a run of the fixture prints, and its exit code. */
async function run(...words: string[]) {
  const { VITEST: _, NODE_ENV: __, REQUIRE_REAL: ___, CI: ____, ...env } = childEnv();
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...words];
  const child = spawn(process.execPath, args, { env: { ...env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  const lines = stdout.trim().split('\n');
  return { code, lines, last: lines.at(-1), stderr, faults: lines.filter((line) => line.startsWith('citation not')) };
}

test('a citation that did not run is named and makes the run fail', async () => {
  const { code, faults, last, lines } = await run();
  expect(faults).toEqual([
    'citation not run: broken/not-collected.case.ts cites card.packages.mqtt in a test that was not collected',
    'citation not run: broken/only.case.ts: "is left out [card.packages.jose]" did not run (skipped, no reason given)',
    'citation not run: broken/skipped.case.ts: "a group > is skipped [card.packages.vitest]" did not run (skipped, no reason given)',
    'citation not run: broken/skipped.case.ts: "later > is to be written [card.packages.tsx]" did not run (skipped, no reason given)',
  ]);
  expect(last).toMatch(/^npm test: FAILED after .+: 4 citations did not run \(named above\)$/);
  expect(code).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(/^… \d of 5 test files done after .+; running: /));
});

test('without such a citation it passes; a missing program is printed and is no fault', async () => {
  const { code, faults, last, lines } = await run('--project', 'whole');
  expect(faults).toEqual([]);
  expect(code).toBe(0);
  expect(lines).toContain(
    'skipped: whole/program.case.ts: no-such-program (no-such-program not installed: apt-get install nothing (REQUIRE_REAL=1 makes this a failure))',
  );
  expect(last).toMatch(/^npm run test:whole: 2 tests in 2 files passed, 1 skipped in .+; requirements: \d+ stated, /);
});

test.each([
  [['no-such-file'], /^npm test: FAILED after .+: no test matches no-such-file$/],
  [['broken/only', 'no-such-file'], /^npm test: FAILED after .+: no test matches no-such-file$/],
  [['-t', 'no such name'], /^npm test: FAILED after .+: no test matches -t no such name$/],
])('what was asked for and found no test makes the run fail: %j', async (words, said) => {
  const { code, last } = await run(...words);
  expect(last).toMatch(said);
  expect(code).toBe(1);
});

test.each([
  ['-t', 'the only one'],
  ['broken/skipped', 'broken/only'],
])('a run of only some tests judges none: %s %s', async (...words) => {
  const { code, faults } = await run(...words);
  expect({ code, faults }).toEqual({ code: 0, faults: [] });
});
