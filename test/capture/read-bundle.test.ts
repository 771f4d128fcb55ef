// Captures that somebody sent: of another version, cut, edited, huge, leading outside. One sentence with the place, nothing else.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestIndex } from '#capture/bundle.ts';
import { readBundle } from '#capture/read-bundle.ts';
import { requireNewFolder } from '#capture/write-bundle.ts';
import { smallIndex, smallTable, writeSmallBundle } from '../support/small-bundle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A bundle in a folder of its own, which `damage` has changed. */
function damaged(parent: string, damage: (folder: string) => void): string {
  const folder = writeSmallBundle(parent);
  damage(folder);
  return folder;
}

const edit =
  (change: (index: Record<string, unknown> & { exchanges: Record<string, unknown>[] }) => void) => (folder: string) => {
    const changed = structuredClone(smallIndex) as never;
    change(changed);
    writeFileSync(path.join(folder, 'capture.json'), JSON.stringify(changed, null, 1));
  };
const firstAnswer = (change: object) => edit(({ exchanges }) => Object.assign(exchanges[0] ?? {}, change));
const replaceAnswer = (make: (file: string, folder: string) => void) => (folder: string) => {
  const file = path.join(folder, '01-show-ip-arp.txt');
  rmSync(file);
  make(file, folder);
};

const mistakes: Record<string, readonly [(folder: string) => void, RegExp]> = {
  'another version': [
    edit((one) => Object.assign(one, { version: 2 })),
    /capture\.json is of version 2, and this program reads version 1: use/,
  ],
  'a version that is no number': [
    edit((one) => Object.assign(one, { version: '\u001b[2J' })),
    /capture\.json: version must be 1/,
  ],
  'another format': [
    edit((one) => Object.assign(one, { format: 'x' })),
    /capture\.json: format must be gatehouse-capture/,
  ],
  'cut in the middle': [
    (folder) => truncateSync(path.join(folder, 'capture.json'), 300),
    /capture\.json is not valid JSON at line \d+, column \d+: /,
  ],
  'edited into no JSON': [
    (folder) => writeFileSync(path.join(folder, 'capture.json'), '{\n "format": gatehouse'),
    /not valid JSON at line 2, column 12: /,
  ],
  'cut inside of a text of 16 MB': [
    (folder) => writeFileSync(path.join(folder, 'capture.json'), `{"a": "${'x'.repeat(16_000_000)}", b`),
    /not valid JSON at line 1, column 160000\d\d: /,
  ],
  'no object': [
    (folder) => writeFileSync(path.join(folder, 'capture.json'), 'null'),
    /capture\.json: it must be an object/,
  ],
  'a member whose name clears the screen': [
    edit((one) => Object.assign(one, { '\u001b[2J': 1 })),
    /capture\.json: \.\[2J is not/,
  ],
  'a path that leads outside': [
    firstAnswer({ file: '../outside.txt' }),
    /capture\.json: exchanges\.0\.file must be the name of a file beside/,
  ],
  'an absolute path': [firstAnswer({ file: '/etc/hostname' }), /exchanges\.0\.file must be the name of a file/],
  'a link that leads outside': [
    replaceAnswer((file, folder) => {
      writeFileSync(path.join(folder, '..', 'outside.txt'), smallTable);
      symlinkSync('../outside.txt', file);
    }),
    /01-show-ip-arp\.txt is no file of its own/,
  ],
  'a folder instead of a file': [replaceAnswer((file) => mkdirSync(file)), /01-show-ip-arp\.txt is no file of its own/],
  'an answer that is missing': [replaceAnswer(() => undefined), /01-show-ip-arp\.txt cannot be read \(ENOENT\): name/],
  'an answer that was cut': [
    (folder) => truncateSync(path.join(folder, '01-show-ip-arp.txt'), 10),
    /01-show-ip-arp\.txt has 10 bytes, and capture\.json says 75: /,
  ],
  'steps of more bytes than the answer': [
    firstAnswer({ steps: [{ afterMs: 0, bytes: 900 }] }),
    /has 75 bytes, and capture\.json says 900/,
  ],
  'a time before the one before': [firstAnswer({ steps: [{ afterMs: -1, bytes: 72 }] }), /exchanges\.0\.steps\.0/],
  'one file for two answers': [
    edit((one) => one.exchanges.push(structuredClone(one.exchanges[0] ?? {}))),
    /names one file for two answers/,
  ],
  'a huge index': [
    (folder) => truncateSync(path.join(folder, 'capture.json'), longestIndex + 1),
    /capture\.json has 16777217 bytes, and a capture has at most 16777216 there/,
  ],
  'a huge answer': [
    (folder) => truncateSync(path.join(folder, '01-show-ip-arp.txt'), 2 ** 30),
    /has 1073741824 bytes, and a capture has at most 67108864/,
  ],
  'no folder': [(folder) => rmSync(folder, { recursive: true }), /capture\.json cannot be read \(ENOENT\)/],
};

describe('a bundle is refused in one sentence that names the place', () => {
  test.each(Object.entries(mistakes))('%s', (_what, [damage, message]) => {
    using parent = temporaryFolder();
    const folder = damaged(parent.path, damage);
    expect(() => readBundle(folder)).toThrow(message);
  });

  test('and has its cause', () => {
    using parent = temporaryFolder();
    const folder = damaged(parent.path, () => undefined);
    rmSync(path.join(folder, '01-show-ip-arp.txt'));
    expect(() => readBundle(folder)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ code: 'ENOENT' }) }),
    );
    truncateSync(path.join(folder, 'capture.json'), 300);
    expect(() => readBundle(folder)).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });
});

test('a bundle as it was written is read, also with characters changed', () => {
  using parent = temporaryFolder();
  const folder = damaged(parent.path, (folder) => {
    writeFileSync(path.join(folder, '01-show-ip-arp.txt'), smallTable.toString().replace('Vlan1', 'XXXXX'));
  });
  const { index: read, files } = readBundle(folder);
  expect(read).toEqual(smallIndex);
  expect(Buffer.from(files.get('01-show-ip-arp.txt') ?? []).toString()).toContain('XXXXX');
});

test('whatever becomes of the index, it is read or refused with its name', () => {
  using parent = temporaryFolder();
  const folder = damaged(parent.path, () => undefined);
  const file = path.join(folder, 'capture.json');
  const whole = readFileSync(file, 'utf8');
  const change = fc.record({ at: fc.nat(whole.length), lost: fc.nat(40), put: fc.oneof(fc.string(), fc.json()) });
  fc.assert(
    fc.property(change, ({ at, lost, put }) => {
      writeFileSync(file, whole.slice(0, at) + put + whole.slice(at + lost));
      try {
        readBundle(folder);
      } catch (error) {
        expect(String(error)).toMatch(/^Error: .*(?:capture\.json|\.txt)/);
      }
    }),
  );
  expect(readdirSync(parent.path)).toEqual(['bundle']);
});

test('a folder that is only tried leaves nothing, its parents neither', () => {
  using parent = temporaryFolder();
  mkdirSync(path.join(parent.path, 'mine'));
  requireNewFolder(path.join(parent.path, 'mine', 'of', 'two', 'parents'));
  expect(readdirSync(parent.path, { recursive: true })).toEqual(['mine']);
});

test('a folder that cannot be made is named, with the reason and what to do', () => {
  using parent = temporaryFolder();
  const file = path.join(parent.path, 'file');
  writeFileSync(file, '');
  expect(() => requireNewFolder(path.join(file, 'capture'))).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/file\/capture cannot be made \(ENOTDIR\): name another folder with --out$/),
      cause: expect.objectContaining({ code: 'ENOTDIR' }),
    }),
  );
});

test('a bundle in which the scan finds an original is removed, and one that is there already stays', () => {
  using parent = temporaryFolder();
  const replacement = { kind: 'address', from: '192.0.2.7', to: '198.7.8.9' } as const;
  expect(() => writeSmallBundle(parent.path, [replacement])).toThrow(
    /could not be made anonymous: 01-show-ip-arp\.txt holds an original address\./,
  );
  expect(() => writeSmallBundle(parent.path, [], { secrets: ['5e00.53'] })).toThrow(
    /01-show-ip-arp\.txt holds a secret/,
  );
  expect(() => writeSmallBundle(path.join(parent.path, 'of', 'two'), [replacement])).toThrow(/anonymous/);
  expect(readdirSync(parent.path)).toEqual([]);
  // Words of the index itself are no originals, though a host or a user may be called so.
  const host = { kind: 'name', from: 'bytes', to: 'kqwze' } as const;
  const folder = writeSmallBundle(parent.path, [host], { names: ['bytes', 'password'], secrets: ['steps'] });
  expect(() => writeSmallBundle(parent.path)).toThrow(/is there already: name another folder with --out/);
  expect(readdirSync(folder)).toHaveLength(3);
});
