// Files of typed arrays: what is written is read, and nothing else is ever believed.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArrayFile, writeArrayFile } from '#kernel/columns/array-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isAny = (about: unknown): about is unknown => about !== undefined;
const none = () => 0;

test('arrays of every type are read as they were written, with room for more behind them', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'arrays');
  const arrays = fc.record({
    bytes: fc.uint8Array({ maxLength: 20 }),
    halves: fc.uint16Array({ maxLength: 20 }),
    words: fc.uint32Array({ maxLength: 3000 }),
    signed: fc.int32Array({ maxLength: 20 }),
  });
  fc.assert(
    fc.property(arrays, fc.jsonValue(), fc.nat(5), (given, about, room) => {
      // A view into a longer buffer is written alone.
      const words = given.words.subarray(1);
      writeArrayFile(file, about, { ...given, words });
      const read = readArrayFile(file, isAny, (name) => (name === 'words' ? room : 0));
      expect(read?.about).toEqual(JSON.parse(JSON.stringify(about)));
      const padded = Uint32Array.from([...words, ...Array.from({ length: room }, () => 0)]);
      expect(read?.arrays).toEqual({ ...given, words: padded });
      expect(read?.arrays.signed).toBeInstanceOf(Int32Array);
    }),
    { numRuns: 100 },
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file with any bit flipped, cut anywhere or with a byte more is refused; that of another state is not read', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'arrays');
  const words = Uint32Array.from([7, 1, 4_000_000_000]);
  writeArrayFile(file, { position: 3 }, { words, observed: Uint8Array.of(1) });
  const whole = readFileSync(file);
  const read = () => {
    try {
      return readArrayFile(file, isAny, none);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return null;
    }
  };
  expect(read()?.arrays.words).toEqual(words);
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(file, flipped);
    expect([bit, read()]).toEqual([bit, null]);
  }
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(file, whole.subarray(0, length));
    expect([length, read()]).toEqual([length, null]);
  }
  writeFileSync(file, Buffer.concat([whole, Buffer.of(0)]));
  expect(() => readArrayFile(file, isAny, none)).toThrow('it is not as long as it says');
  writeFileSync(file, 'SQLite format 3 and more');
  expect(() => readArrayFile(file, isAny, none)).toThrow('it does not begin as such a file does');
  writeFileSync(file, whole.subarray(0, 30));
  expect(() => readArrayFile(file, isAny, none)).toThrow('it is cut short');
  const changed = Buffer.from(whole);
  changed.writeUInt8(9, whole.length - 5);
  writeFileSync(file, changed);
  expect(() => readArrayFile(file, isAny, none)).toThrow('its content does not match its checksum');
  writeFileSync(file, whole);
  const asked: unknown[] = [];
  const isOther = (about: unknown): about is never => asked.push(about) === 0;
  expect([readArrayFile(file, isOther, none), asked]).toEqual([null, [{ position: 3 }]]);
  const bigEndian = Buffer.from(whole.toString('latin1').replace('"LE"', '"BE"'), 'latin1');
  writeFileSync(file, bigEndian);
  expect(() => readArrayFile(file, isAny, none)).toThrow('its header does not match its checksum');
  bigEndian.writeUInt32LE(crc32(bigEndian.subarray(16, 16 + bigEndian.readUInt32LE(8))), 12);
  writeFileSync(file, bigEndian);
  expect(readArrayFile(file, isAny, none)).toBeNull();
});

test('a file that cannot be replaced stays as it was, and one that is absent is said to be', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'arrays');
  expect(() => readArrayFile(file, isAny, none)).toThrow('ENOENT');
  writeArrayFile(file, 1, { words: Uint32Array.of(5) });
  const before = readFileSync(file);
  expect(() => writeArrayFile(path.join(folder.path, 'no', 'folder'), 1, {})).toThrow('ENOENT');
  const failing = Object.defineProperty(new Uint32Array(1), 'buffer', {
    get() {
      throw new Error('planted');
    },
  });
  expect(() => writeArrayFile(file, 2, { words: failing })).toThrow('planted');
  expect(readFileSync(file)).toEqual(before);
  chmodSync(file, 0o644);
  writeArrayFile(file, 2, { words: Uint32Array.of(6) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
