// Widths of columns as text, which a person may have edited.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatWidths, leastWidth, mostWidth, parseWidths } from '../src/web/connections/column-widths.ts';

const known = ['src', 'dst', 'host'];

test('what is written is read again', () => {
  const widths = { src: 240, dst: leastWidth, host: mostWidth };
  expect(parseWidths(formatWidths(widths), known)).toEqual(widths);
});

test('a width out of its bounds is moved into them; what is not understood leaves the rest', () => {
  expect(parseWidths('src-1.dst-99999.bogus-100.host-wide.host.src', known)).toEqual({
    src: leastWidth,
    dst: mostWidth,
  });
  expect(parseWidths('__proto__-100.constructor-100', known)).toEqual({});
});

test('no text makes a column without bounds', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const widths = Object.values(parseWidths(text, known));
      expect(widths.every((width) => width >= leastWidth && width <= mostWidth)).toBe(true);
    }),
  );
});
