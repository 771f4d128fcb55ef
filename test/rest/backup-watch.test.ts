// What happens to a backup after it was made: the operator's program takes it away, and its content is compared by the clock.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const create = async (lab: Lab<never>) => (await lab.as.admin.backup.create({ body: {} })).name;
const warnings = async (lab: Lab<never>) => (await lab.as.admin.status.status({})).warnings;

/** A program of the operator: the lines of a shell script. */
function programIn(folder: string, lines: string): string {
  const file = path.join(folder, 'hook');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o700);
  return file;
}

test('the hook gets the paths of generation and manifest, and nothing of the environment of the hub', async () => {
  using folder = temporaryFolder();
  const seen = path.join(folder.path, 'seen');
  const backupHook = programIn(folder.path, `{ echo "$@"; env; } > ${seen}`);
  await using lab = await startLab({ hub: { backupHook } });
  const file = path.join(lab.dataDir, 'backups', await create(lab));
  await lab.settled();
  const [line, ...env] = readFileSync(seen, 'utf8').trim().split('\n');
  expect(line).toBe(`${file} ${file}.json`);
  expect(
    env.map((one) => one.split('=')[0]).filter((name) => !/^(?:PATH|HOME|LC_ALL|PWD|SHLVL|_|OLDPWD)$/.test(name ?? '')),
  ).toEqual([]);
  const { hook } = await lab.as.admin.backup.list({});
  expect(hook).toEqual({
    running: false,
    endedAt: new Date(lab.clock.now()).toISOString(),
    error: null,
    errorFacts: [],
  });
  expect(await warnings(lab)).toEqual([]);
});

test('a hook that fails is shown with its words until one works', async () => {
  using folder = temporaryFolder();
  const isMended = path.join(folder.path, 'mended');
  const backupHook = programIn(
    folder.path,
    `[ -e ${isMended} ] || { echo "no route to the other place" >&2; exit 3; }`,
  );
  await using lab = await startLab({ hub: { backupHook } });
  await create(lab);
  await lab.settled();
  expect(await warnings(lab)).toEqual([
    expect.stringMatching(/^the backup hook \S+ failed for monitor_\S+ \(no route to the other place\)/),
  ]);
  expect((await lab.as.admin.backup.list({})).hook?.errorFacts).toMatchObject([
    { code: 'backup_hook_failed', values: { detail: 'no route to the other place' } },
  ]);
  writeFileSync(isMended, '');
  await create(lab);
  await lab.settled();
  expect(await warnings(lab)).toEqual([]);
});

test('a hook that goes on is ended by a stop of the hub', async () => {
  using folder = temporaryFolder();
  const begun = path.join(folder.path, 'begun');
  const backupHook = programIn(folder.path, `touch ${begun}; exec sleep 600`);
  await using lab = await startLab({ hub: { backupHook } });
  await create(lab);
  await eventually(
    () => Promise.resolve(existsSync(begun)),
    (isThere) => isThere || undefined,
  );
  expect((await lab.as.admin.backup.list({})).hook).toMatchObject({ running: true });
  await lab.stop();
});

test('a generation that rots is found by the clock, and said', async () => {
  await using lab = await startLab();
  const file = path.join(lab.dataDir, 'backups', await create(lab));
  await lab.advance(600_000);
  const integrityIs = (expected: string) =>
    eventually(
      async () => (await lab.as.admin.backup.list({})).diagnostics.entries,
      ([entry]) => (entry?.integrity === expected ? entry : undefined),
      20_000,
    );
  await integrityIs('ok');
  expect(await warnings(lab)).toEqual([]);
  const bytes = readFileSync(file);
  bytes[90_000] = (bytes[90_000] ?? 0) ^ 32;
  writeFileSync(file, bytes);
  // Another backup is not due before the look.
  await lab.as.admin.backup.config({ body: { intervalHours: 10_000 } });
  await lab.skip(86_400_000);
  const found = await eventually(
    () => warnings(lab),
    (all) => all.find((text) => text.includes('newest generation')),
    20_000,
  );
  expect(found).toMatch(/the newest generation monitor_\S+\.db is damaged \(.*page 22 of \d+ differs\)/);
  expect((await integrityIs('failed')).error).toMatch(/page 22/);
});
