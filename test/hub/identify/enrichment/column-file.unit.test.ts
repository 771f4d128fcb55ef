// The container of the embedded data: numbers of every width, and each way in which a file is refused.
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readColumnFile } from '#hub/identify/enrichment/embedded/column-file.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const folder = makeFolder('columns');
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'columns.zst');

interface Column {
  name: string;
  width: 1 | 2 | 4;
  delta: boolean;
  numbers: readonly number[];
}

/** As the format says: the lowest bytes of all numbers, then the next ones. */
function toPlanes({ width, delta, numbers }: Column): Buffer {
  const steps = numbers.map((number, index) => (delta ? number - (numbers[index - 1] ?? 0) : number) >>> 0);
  return Buffer.from(
    Array.from({ length: width }, (_, plane) => steps.map((step) => (step >>> (8 * plane)) & 255)).flat(),
  );
}

function write(columns: readonly Column[], change: { magic?: string; header?: object; payload?: Buffer } = {}): void {
  const payload = change.payload ?? Buffer.concat(columns.map(toPlanes));
  const header = {
    ...{ format: 1, version: '2026-01-01', digest: createHash('sha256').update(payload).digest('hex'), sources: [] },
    columns: columns.map(({ numbers, ...column }) => ({ ...column, count: numbers.length })),
    ...change.header,
  };
  const text = Buffer.from(JSON.stringify(header));
  const beginning = Buffer.alloc(12);
  beginning.write(change.magic ?? 'GHENRICH', 'latin1');
  beginning.writeUInt32LE(text.length, 8);
  writeFileSync(file, zstdCompressSync(Buffer.concat([beginning, text, payload])));
}

test('numbers are read as they were written, whatever their width', async () => {
  const column = fc.constantFrom<(1 | 2 | 4)[]>(1, 2, 4).chain((width) =>
    fc.record({
      ...{ name: fc.constant(''), width: fc.constant(width), delta: fc.boolean() },
      numbers: fc.array(fc.integer({ min: 0, max: 2 ** (8 * width) - 1 }), { maxLength: 20 }),
    }),
  );
  const isSame = fc.asyncProperty(fc.array(column, { minLength: 1, maxLength: 4 }), async (drawn) => {
    const columns = drawn.map((one, index) => {
      const isRising = one.delta && one.width < 4;
      return { ...one, name: `c${index}`, numbers: isRising ? one.numbers.toSorted((a, b) => a - b) : one.numbers };
    });
    write(columns);
    const read = await readColumnFile(file);
    for (const { name, numbers } of columns) {
      expect([...(await read.numbers(name))]).toEqual(numbers);
    }
  });
  await fc.assert(isSame, { numRuns: 50 });
});

test('a column longer than a slice and a chunk is whole; bytes are a copy', async () => {
  const numbers = Array.from({ length: 70_000 }, (_, n) => n * 60_000);
  const bytes = { name: 'b', width: 1, delta: false, numbers: [1, 2, 3] } as const;
  write([{ name: 'a', width: 4, delta: true, numbers }, bytes]);
  const read = await readColumnFile(file);
  expect([...(await read.numbers('a'))]).toEqual(numbers.map((number) => number >>> 0));
  expect([...read.bytes('b')]).toEqual([1, 2, 3]);
  await expect(read.numbers('c')).rejects.toThrow('the column c is missing');
  expect(() => read.bytes('c')).toThrow('the column c is missing');
});

const small: Column = { name: 'a', width: 2, delta: false, numbers: [1, 2] };
const of = (count: number, width = 1) => ({ columns: [{ name: 'a', width, delta: false, count }] });

test.each<[string, Parameters<typeof write>[1], RegExp]>([
  ['another beginning', { magic: 'GHENRICX' }, /does not begin as such a file does/],
  ['another format', { header: { format: 2 } }, /columns\.zst holds no enrichment data/],
  ['a byte too many', { header: of(3) }, /it is longer than it says/],
  ['a byte too few', { header: of(5) }, /it is cut short/],
  ['another digest', { header: { digest: '0'.repeat(64) } }, /its content does not match its digest/],
  ['256 MB and a byte', { header: of(268_435_457) }, /larger than such a file can be/],
  ['as much in wide numbers', { header: of(67_108_865, 4) }, /larger than such a file can be/],
  ['256 MB that are not there', { header: of(67_108_864, 4) }, /it is cut short/],
])('a file with %s is refused', async (_what, change, says) => {
  write([small], change);
  await expect(readColumnFile(file)).rejects.toThrow(says);
});

test.each([0, 7, 8, 11, 12, 40])('a file of %i bytes is cut short', async (length) => {
  const whole = Buffer.concat([Buffer.from('GHENRICH'), Buffer.from([200, 0, 0, 0]), Buffer.alloc(100, '{')]);
  writeFileSync(file, zstdCompressSync(whole.subarray(0, length)));
  await expect(readColumnFile(file)).rejects.toThrow(/it is cut short|enrichment data that this version reads/);
});
