// `gatehouse capture to-fixture`: what is written is a fixture that the tests of the readers take as it is.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCapture } from '#hub/collect/routers/capture/command.ts';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { startRouter } from '#simulators/router/start.ts';
import { startCommand } from '../../../support/command-run.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { expectedOf, readCapture } from './captures.ts';
import { captureRouter } from './captures-of.ts';

const makers: readonly [RouterKind, string, string, string][] = [
  ['vendor_a', 'rtx1300-en', 'yamaha', 'nat_detail.rtx1300'],
  ['vendor_b', 'c841m-ios155', 'cisco', 'nat.c841m-4x-jsec-k9'],
];

test.each(makers)('%s %s', async (kind, profile, maker, name) => {
  using folder = temporaryFolder();
  await using router = await startRouter(kind, { dialect: profile, sessions: 25 });
  const capture = await captureRouter(router, folder.path);
  const out = path.join(folder.path, maker, 'synthetic');
  mkdirSync(out, { recursive: true });
  const manifest = path.join(folder.path, 'MANIFEST.json');
  const run = () => startCommand(() => runCapture(['to-fixture', capture.folder, '--out', out])).ended;
  writeFileSync(manifest, '{');
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/MANIFEST\.json is not valid JSON: restore it/),
  });
  expect(readdirSync(out)).toEqual([]);
  writeFileSync(manifest, '{}');
  const { code, stdout } = await run();
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${name}.expected.json`)]);
  const bytes = readFileSync(path.join(out, `${name}.txt`));
  expect(JSON.parse(readFileSync(manifest, 'utf8'))).toEqual({
    [`${maker}/synthetic/${name}.txt`]: {
      origin: expect.stringContaining('anonymised'),
      bytes: bytes.length,
      sha256: expect.stringMatching(/^[\da-f]{64}$/),
    },
  });
  const expected = expectedOf(path.join(out, `${name}.expected.json`));
  const reader = kind === 'vendor_a' ? createNatDetailReader() : createTranslationReader();
  const { lines, ...ending } = readCapture(bytes);
  for (const line of lines) {
    reader.push(line);
  }
  const table = reader.end(ending);
  const withoutTimes = (rows: typeof table.sessions) =>
    rows.map(({ printedFrom: _from, printedTo: _to, idleSec: _idle, ...row }) => row);
  expect(withoutTimes(table.sessions)).toEqual(withoutTimes(expected.sessions));
  expect(table).toMatchObject({ complete: expected.complete, staticRows: expected.static });
  expect(expected).toMatchObject({ complete: true, dynamic: table.sessions.length });
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') });
});

test.each(['null', '[]', '{"manifest_version":3}'])(
  'a manifest of something else, %s, stays as it is',
  async (text) => {
    using folder = temporaryFolder();
    await using router = await startRouter('vendor_b', { sessions: 3 });
    const capture = await captureRouter(router, folder.path);
    const manifest = path.join(folder.path, 'MANIFEST.json');
    writeFileSync(manifest, text);
    const out = path.join(folder.path, 'any', 'folder');
    expect(await startCommand(() => runCapture(['to-fixture', capture.folder, '--out', out])).ended).toMatchObject({
      code: 0,
    });
    expect(readFileSync(manifest, 'utf8')).toBe(text);
  },
);
