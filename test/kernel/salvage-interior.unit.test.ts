// Interior pages of a damaged file: whatever their pointers say, what can be read is returned and nothing is thrown.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { interiorKeys } from '#kernel/sqlite/salvage/interior-keys.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const pageSize = 512;

/** An interior page of a table with rowids: one cell, which ends with rowid 1. */
function interior({ cellAt = 500, left = 0, right = 0, cells = 1 }): Buffer {
  const page = Buffer.alloc(pageSize);
  page[0] = 5;
  page.writeUInt16BE(cells, 3);
  page.writeUInt32BE(right, 8);
  page.writeUInt16BE(cellAt, 12);
  page.writeUInt32BE(left, 500);
  page[504] = 1;
  return page;
}

function keysOf(...pages: Buffer[]) {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'damaged.db');
  writeFileSync(file, Buffer.concat(pages));
  return interiorKeys({ file, pageSize, root: 1 }, 1).map(({ values }) => values);
}

test.each([
  ['a pointer to page 0', [interior({ left: 0, right: 0 })], [[2n]]],
  ['a pointer beyond the file', [interior({ left: 4_294_967_295, right: 9 })], [[2n]]],
  ['pages that point at each other', [interior({ left: 2 }), interior({ left: 1, right: 2 })], [[2n], [2n]]],
  ['a cell beyond the page', [interior({ cellAt: 511 })], []],
  ['more cells than fit into the page', [interior({ cells: 60_000 })], []],
])('%s', (_what, pages, keys) => expect(keysOf(...pages)).toEqual(keys));

test('a chain of pages that is deeper than any tree is left', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) => interior({ left: at + 2 }));
  expect(keysOf(...chain).length).toBeLessThan(100);
});

/** An interior page of an index: one cell with a record of one column. */
function interiorOfIndex(serial: number, bytes: readonly number[]): Buffer {
  const page = Buffer.alloc(pageSize);
  page[0] = 2;
  page.writeUInt16BE(1, 3);
  page.writeUInt16BE(400, 12);
  Buffer.from([2 + bytes.length, 2, serial, ...bytes]).copy(page, 404);
  return page;
}

test.each([
  ['the constant 0', 8, [], 0n],
  ['the constant 1', 9, [], 1n],
  ['a byte below 0', 1, [0xff], -1n],
  ['three bytes', 3, [1, 0, 0], 65_536n],
  ['a text', 17, [0x68, 0x69], 'hi'],
  ['no text', 13, [], ''],
])('the key of an index page may be %s', (_what, serial, bytes, value) => {
  expect(keysOf(interiorOfIndex(serial, bytes))).toEqual([[value]]);
});

test('a key that is a BLOB is not read', () => {
  expect(keysOf(interiorOfIndex(16, [0x68, 0x69]))).toEqual([]);
});
