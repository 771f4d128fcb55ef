// Values and texts that others write: options, dates of HTTP, mistakes in JSON, texts that are too long.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseField } from '#kernel/errors.ts';
import { oneOfOption, urlOption, wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { clipText } from '#kernel/text/clip.ts';
import { findJsonMistake, parseJson } from '#kernel/text/json.ts';
import { createKey, isSealed, seal } from '#kernel/text/secret.ts';
import { parseHttpDate } from '#kernel/time/clock.ts';

test('a whole number is one of its range, whose ends belong to it', () => {
  const range = fc.tuple(fc.nat(1000), fc.nat(1000)).map(([low, size]) => [low, low + size] as const);
  fc.assert(
    fc.property(range, fc.nat(3000), ([min, max], value) => {
      const read = () => wholeOption('port', String(value), [min, max]);
      if (value >= min && value <= max) {
        expect(read()).toBe(value);
      } else {
        expect(read).toThrow(new UsageError(`--port must be a whole number from ${min} to ${max}, not "${value}"`));
      }
    }),
  );
  for (const text of ['', ' 1', '1.0', '-1', '1e1', '0x1', '12345678901']) {
    expect(() => wholeOption('port', text, [0, 99])).toThrow(UsageError);
  }
});

test('an address is one of http or https, a word one of the list', () => {
  expect(urlOption('hub', 'https://hub.test/a', 'the hub').href).toBe('https://hub.test/a');
  expect(urlOption('hub', 'http://127.0.0.1:3000', 'the hub').port).toBe('3000');
  for (const text of ['hub.test', 'ftp://hub.test', 'httpx://hub.test', '']) {
    expect(() => urlOption('hub', text, 'the hub')).toThrow(/^--hub must be the address of the hub, such as http:\/\//);
  }
  expect(oneOfOption('format', 'csv', ['json', 'csv'])).toBe('csv');
  expect(() => oneOfOption('format', 'xml', ['json', 'csv'])).toThrow('--format must be json or csv, not "xml"');
});

test('a date of HTTP is read as it is written, and nothing else', () => {
  const second = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(second, (at) => {
      const text = new Date(at * 1000).toUTCString();
      expect(parseHttpDate(text)).toBe(at * 1000);
      for (let index = 0; index < text.length; index += 1) {
        const other = `${text.slice(0, index)}~${text.slice(index + 1)}`;
        expect([other, parseHttpDate(other)]).toEqual([other, null]);
      }
      expect([parseHttpDate(`${text} `), parseHttpDate(` ${text}`)]).toEqual([null, null]);
    }),
    { numRuns: 20 },
  );
});

test('a text is cut to a length, and no character in two', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, length) => {
      const clipped = clipText(text, length);
      expect(clipped.length).toBeLessThanOrEqual(length);
      expect(clipped.isWellFormed()).toBe(true);
      expect(clipped === text || (text.length > length && clipped.endsWith('…'))).toBe(true);
      expect(text.startsWith(clipped.replace(/…$/, '')) || clipped === text).toBe(true);
      expect(text.length > length || clipped === text).toBe(true);
    }),
  );
});

test('the first mistake in JSON is found by line and column', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `  "member${index}": [1, true, null, "a \\" b"],`);
  expect([parseJson('{"a":1}'), parseJson('{"a":}')]).toEqual([{ a: 1 }, undefined]);
  for (const [text, line, column] of [
    [['{', ...lines, '  oops'].join('\n'), 32, 3],
    ['{"a": nope}', 1, 7],
    ['[1,\n2,\n   x]', 3, 4],
  ] as const) {
    let thrown: unknown;
    try {
      JSON.parse(text);
    } catch (error) {
      thrown = error;
    }
    expect(findJsonMistake(text, thrown)).toEqual({ line, column });
  }
  const said = new SyntaxError('Bad thing at position 9 (line 12 column 345)');
  expect(findJsonMistake('{', said)).toEqual({ line: 12, column: 345 });
});

test('a sealed text is known by all of it', () => {
  const sealed = seal('secret', createKey());
  expect([sealed, `${sealed} `, ` ${sealed}`, sealed.slice(0, 30)].map(isSealed)).toEqual([true, false, false, false]);
});

test('a refusal of a member has its reason as a code, with values where there are some', () => {
  const problem = { code: 'too_big', limit: 5, unit: null };
  const detailsOf = (given?: Parameters<typeof refuseField>[3]) =>
    refuseField('invalid_body', 'dns.logFile', 'is wrong', given).details;
  expect([detailsOf(), detailsOf('strange'), detailsOf(problem)]).toEqual([
    { field: 'dns.logFile' },
    { field: 'dns.logFile', problem: { code: 'strange', limit: null, unit: null } },
    { field: 'dns.logFile', problem },
  ]);
});
