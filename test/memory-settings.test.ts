// The hub as it is started bounds what the C library and V8 keep, and leaves alone who says it otherwise.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startHubProcess } from './support/hub-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const isLinux = process.platform === 'linux';
if (!isLinux) {
  process.stdout.write('not run: only Linux has the arenas that are bounded\n');
}

test.runIf(isLinux).for([
  [undefined, '2'],
  ['7', '7'],
] as const)('started with %s it runs with %s, under the id of the command', async ([given, expected]) => {
  using folder = temporaryFolder();
  await using hub = await startHubProcess({
    dataDir: folder.path,
    adminToken: 'a'.repeat(48),
    command: 'bin/gatehouse.js',
    ...(given === undefined ? {} : { env: { MALLOC_ARENA_MAX: given } }),
  });
  const environment = readFileSync(`/proc/${hub.program.pid}/environ`, 'utf8').split('\0');
  expect(environment.filter((entry) => entry.startsWith('MALLOC_ARENA_MAX='))).toEqual([
    `MALLOC_ARENA_MAX=${expected}`,
  ]);
  const words = readFileSync(`/proc/${hub.program.pid}/cmdline`, 'utf8').split('\0');
  const flags = ['--max-semi-space-size=4', '--no-wasm-code-gc'];
  expect(words.filter((word) => flags.includes(word))).toEqual(given === undefined ? flags : []);
  expect((await hub.as.admin.connections.memory({})).rssBytes).toBeGreaterThan(0);
});
