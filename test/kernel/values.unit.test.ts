// Values of the kernel: digests, errors, changes of settings, names of hosts.
import { expect, test } from 'vitest';
import { AppError, messageOf } from '#kernel/errors.ts';
import { parseHostName, parseLabel } from '#kernel/net/host-name.ts';
import { type Changes, withChanges } from '#kernel/text/changes.ts';
import { sha256 } from '#kernel/text/digest.ts';

test('the digest of text and of bytes', () => {
  const ofAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256('abc'), sha256(new Uint8Array([97, 98, 99]))]).toEqual([ofAbc, ofAbc]);
});

test('a refusal has the status of its code, and no more than it was given', () => {
  const plain = new AppError('not_found', 'no such note');
  const { name, code, status, message, details, headers } = plain;
  expect({ name, code, status, message, details, headers }).toEqual({
    ...{ name: 'AppError', code: 'not_found', status: 404, message: 'no such note', details: {}, headers: {} },
  });
  expect('cause' in plain).toBe(false);
  const cause = new Error('why');
  const extras = { details: { diag: [] }, headers: { 'Retry-After': '5' }, cause };
  expect(new AppError('busy', 'later', extras)).toMatchObject({ ...extras, status: 503 });
  expect(new AppError('busy', 'later', { cause: null }).cause).toBeNull();
});

test('anything thrown has a text', () => {
  expect([new Error('a'), 'b', 3, null, undefined].map(messageOf)).toEqual(['a', 'b', '3', 'null', 'undefined']);
});

test('what a request gives is changed, undefined is not given', () => {
  const settings: { a: number | null; b: string; c: boolean } = { a: 1, b: 'x', c: true };
  const given: [Changes<typeof settings>, object][] = [
    [{}, settings],
    [{ a: undefined, b: undefined, c: undefined }, settings],
    [
      { a: null, b: '', c: false },
      { a: null, b: '', c: false },
    ],
    [{ a: 0 }, { a: 0, b: 'x', c: true }],
  ];
  for (const [changes, changed] of given) {
    expect(withChanges(settings, changes)).toEqual(changed);
  }
  expect(settings).toEqual({ a: 1, b: 'x', c: true });
});

const label = 'x'.repeat(63);

test.each([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['_dmarc.a-b', '_dmarc.a-b'],
  ['a', 'a'],
  ['1a', '1a'],
  [`${label}.${label}.${label}.${label.slice(2)}`, `${label}.${label}.${label}.${label.slice(2)}`],
])('%s is the host name %s', (text, name) => expect(parseHostName(text)).toBe(name));

test.each([
  ...['', '.', 'a..b', 'a..', '.a', '-a', 'a-', 'a_', 'a b', 'ä', '192.0.2.1', '1', 'a\n', '\na', 'a/b'],
  `${label}.${label}.${label}.${label.slice(1)}`,
])('%j is none', (text) => expect(parseHostName(text)).toBeNull());

test('a label is cut at 128 characters, and ends with none that is not seen', () => {
  expect(parseLabel('x'.repeat(129))).toBe('x'.repeat(128));
  expect(parseLabel(`${' '.repeat(200)}tv`)).toBe('tv');
  expect(parseLabel(`${'x'.repeat(127)} y`)).toBe('x'.repeat(127));
});
