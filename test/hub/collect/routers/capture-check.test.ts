// `gatehouse capture check`: each row that is read, each that is not with its reason, and what is missing.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readBundle } from '#capture/read-bundle.ts';
import { describeCapture } from '#hub/collect/routers/capture/check.ts';
import { startRouter } from '#simulators/router/start.ts';
import { writeSmallBundle } from '../../../support/small-bundle.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { captureRouter } from './captures-of.ts';
import { nat } from './polls.ts';

const check = (folder: string) => describeCapture(readBundle(folder), new AbortController().signal);

/** Overwrites text in the answer of the capture by as many characters, as somebody may by hand. */
function overwrite(folder: string, command: string, change: (text: string) => string): void {
  const file = path.join(folder, readBundle(folder).index.exchanges.find((one) => one.command === command)?.file ?? '');
  const before = readFileSync(file, 'latin1');
  const after = change(before);
  expect(after.length).toBe(before.length);
  writeFileSync(file, after, 'latin1');
}

test('every session is a line, and rows that are not read say why', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_b', { dialect: 'ios12-legacy', sessions: 12 });
  const { folder: bundle, recording } = await captureRouter(router, folder.path);
  const count = recording.snapshot?.sessions.length ?? 0;
  const whole = await check(bundle);
  expect(whole).toContain(`sessions: ${count}`);
  expect(whole.filter((line) => /^ {2}[A-Z]+ [\d.]+ (?:\d+|-) -> /.test(line))).toHaveLength(count);
  expect(whole.at(-1)).toMatch(/^The table is complete/);
  expect(whole.join('\n')).not.toContain('not read');

  overwrite(bundle, 'show ip nat translations', (text) => {
    const rows = text.split('\r\n');
    const [first = 0, second = 0] = rows.flatMap((row, at) => (/^(?:tcp|udp) .*:\d{5} .*\d$/.test(row) ? [at] : []));
    rows[first] = `${rows[first]?.slice(0, -1)}x`;
    rows[second] = rows[second]?.replace(/:\d{5} /, ':https ') ?? '';
    return rows.join('\r\n');
  });
  const lines = await check(bundle);
  expect(lines).toContain(`sessions: ${count - 2}`);
  expect(lines).toContain('not read of the NAT table: 2');
  expect(lines.filter((line) => line.includes(' <- '))).toEqual([
    expect.stringMatching(/x {3}<- it begins like a row, and its cells cannot be read$/),
    expect.stringMatching(/:https .* {3}<- port ranges, IPv6 and names of services are not supported$/),
  ]);
  expect(lines.at(-1)).toMatch(/^The table is not complete/);
});

test('what somebody wrote into a capture reaches the terminal as plain text', async () => {
  using folder = temporaryFolder();
  const bundle = writeSmallBundle(folder.path);
  const index = path.join(bundle, 'capture.json');
  const changed = readFileSync(index, 'utf8')
    .replace(/("model": ")[^"]*/, '$1\\u001b]0;title\\u0007')
    .replace('"missing": []', '"missing": ["\\u001b[2J"]');
  writeFileSync(index, changed);
  const lines = await check(bundle);
  expect(lines[0]).toMatch(/^vendor_b \.\]0;title/);
  expect(lines.join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
});

test('a capture that the router ended says what was read before, what is cut and what is missing', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_b', { sessions: 40 });
  router.fail('truncated', { command: nat('vendor_b'), afterBytes: 3000 });
  const { folder: bundle, recording } = await captureRouter(router, folder.path);
  const lines = await check(bundle);
  expect(lines).toContainEqual(
    expect.stringMatching(/^cut: .*"show ip nat translations verbose" ended when the router closed/),
  );
  expect(lines).toContain('missing: "show ip arp" was not answered, because the capture ended early');
  expect(lines).toContainEqual(
    expect.stringMatching(/^not read to the end \(cut_off\): The router closed the connection/),
  );
  expect(lines).toContain(`sessions read before: ${recording.failure?.sessions.length}`);
});

test('a capture that ended in silence says how long a hub waits', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_b', { sessions: 5 });
  const { folder: bundle } = await captureRouter(router, folder.path);
  const file = path.join(bundle, 'capture.json');
  const index = JSON.parse(readFileSync(file, 'utf8'));
  index.exchanges.find(({ command }: { command: string }) => command.startsWith(nat('vendor_b'))).ending = 'silent';
  writeFileSync(file, JSON.stringify(index));
  const lines = await check(bundle);
  expect(lines).toContainEqual(expect.stringMatching(/^cut: .*verbose" ended in silence$/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^not read to the end \(timed_out\): The router sent nothing for 15 s/),
  );
});
