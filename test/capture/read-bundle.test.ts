// Captures that somebody sent: of another version, cut, edited, huge, leading outside. One sentence with the place, nothing else.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BundleIndex, longestIndex } from '#capture/bundle.ts';
import { readBundle } from '#capture/read-bundle.ts';
import { writeBundle } from '#capture/write-bundle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const table = Buffer.from('Protocol  Address\r\nInternet  192.0.2.7   1   0000.5e00.5301  ARPA   Vlan1\r\n');

const index: BundleIndex = {
  format: 'gatehouse-capture',
  version: 1,
  kind: 'vendor_b',
  model: 'C841M-4X-JSEC/K9',
  natDescriptor: null,
  ssh: { identification: 'SSH-2.0-Cisco-1.25', methods: ['password'], algorithms: {} },
  greeting: { prompt: 'router#', file: '00-greeting.txt', bytes: 2, steps: [{ afterMs: 3, bytes: 2 }] },
  exchanges: [
    {
      command: 'show ip arp',
      promptBefore: 'router#',
      promptAfter: 'router#',
      ending: 'prompt',
      file: '01-show-ip-arp.txt',
      bytes: table.length,
      steps: [{ afterMs: 7, bytes: 20 }, { typed: 'key' }, { afterMs: 0, bytes: table.length - 20 }],
    },
  ],
  failure: null,
  missing: [],
  replaced: {},
};

/** A bundle in a folder of its own, which `damage` has changed. */
function damaged(parent: string, damage: (folder: string) => void): string {
  const folder = path.join(parent, 'bundle');
  const files = new Map([
    ['00-greeting.txt', Buffer.from('\r\n')],
    ['01-show-ip-arp.txt', table],
  ]);
  writeBundle(folder, { index, files }, [], { names: [], secrets: [] });
  damage(folder);
  return folder;
}

const edit =
  (change: (index: Record<string, unknown> & { exchanges: Record<string, unknown>[] }) => void) => (folder: string) => {
    const changed = structuredClone(index) as never;
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
  'no object': [
    (folder) => writeFileSync(path.join(folder, 'capture.json'), 'null'),
    /capture\.json: it must be an object/,
  ],
  'a path that leads outside': [
    firstAnswer({ file: '../outside.txt' }),
    /capture\.json: exchanges\.0\.file must be the name of a file beside/,
  ],
  'an absolute path': [firstAnswer({ file: '/etc/hostname' }), /exchanges\.0\.file must be the name of a file/],
  'a link that leads outside': [
    replaceAnswer((file, folder) => {
      writeFileSync(path.join(folder, '..', 'outside.txt'), table);
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
});

test('a bundle as it was written is read, also with characters changed', () => {
  using parent = temporaryFolder();
  const folder = damaged(parent.path, (folder) => {
    writeFileSync(path.join(folder, '01-show-ip-arp.txt'), table.toString().replace('Vlan1', 'XXXXX'));
  });
  const { index: read, files } = readBundle(folder);
  expect(read).toEqual(index);
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

test('a bundle in which the scan finds an original is removed, and one that is there already stays', () => {
  using parent = temporaryFolder();
  const folder = path.join(parent.path, 'bundle');
  const files = new Map([
    ['00-greeting.txt', Buffer.from('\r\n')],
    ['01-show-ip-arp.txt', table],
  ]);
  const replacement = { kind: 'address', from: '192.0.2.7', to: '198.7.8.9' } as const;
  const write = (words = { names: [] as string[], secrets: [] as string[] }, replacements = [replacement]) =>
    writeBundle(folder, { index, files }, replacements, words);
  expect(() => write()).toThrow(/could not be made anonymous: 01-show-ip-arp\.txt holds an original address\./);
  expect(() => write({ names: [], secrets: ['5e00.53'] }, [])).toThrow(/01-show-ip-arp\.txt holds a secret/);
  expect(readdirSync(parent.path)).toEqual([]);
  write({ names: [], secrets: [] }, []);
  expect(() => write()).toThrow(/is there already: name another folder with --out/);
  expect(readdirSync(folder)).toHaveLength(3);
});
