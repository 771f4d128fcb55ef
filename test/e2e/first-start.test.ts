// A first start that was cut short leaves nothing that a later start does not accept; what is sealed is never lost by it.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { smallDisk } from '../support/mounted-disk.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Nobody listens there: threat feeds are not fetched from their publishers.
const env = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' };
const hubArgs = (dataDir: string) => ['src/main.ts', 'hub', '--port', '0', '--data', dataDir];

async function startsAndStops(dataDir: string): Promise<void> {
  await using hub = startProgram(hubArgs(dataDir), { env });
  await hub.printed(/^gatehouse hub ready \S+$/m);
  hub.kill('SIGTERM');
  expect(await hub.ended).toEqual({ code: 0, signal: null });
}

test.each(['', '0123456789abcdef'])('a key cut to "%s" with nothing sealed by it is replaced', async (cut) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'secret.key');
  writeFileSync(file, cut, { mode: 0o600 });
  await startsAndStops(folder.path);
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});

test('a cut or missing key that seals something stops the start, and nothing is changed', async () => {
  using folder = temporaryFolder();
  await startsAndStops(folder.path);
  const file = path.join(folder.path, 'secret.key');
  const key = readFileSync(file, 'utf8');
  for (const damage of [() => truncateSync(file), () => rmSync(file)]) {
    damage();
    const { code, stderr } = await runProgram(hubArgs(folder.path), { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gatehouse hub: \S+secret\.key (?:is missing|does not hold a key \(64 hex digits\)), and \S+monitor\.json holds secrets sealed by it: put the secret\.key of this data back from a backup, or move both files away to begin with new settings\n$/,
    );
  }
  writeFileSync(file, key);
  await startsAndStops(folder.path);
});

withSmallDisk(() => {
  test('says that it is full, and the next start with room works', async () => {
    using disk = smallDisk(16_384);
    disk.fill();
    const { code, stderr } = await runProgram(hubArgs(disk.path), { env });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^gatehouse hub: \S+ could not be written: the disk is full; make room on it and try again$/,
    );
    disk.empty();
    await startsAndStops(disk.path);
  });
});
