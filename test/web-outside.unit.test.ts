// Texts from outside as the page draws them: nothing hidden is left, nothing seen is changed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isolateName, joinWithDots, visibleText } from '../src/web/parts/outside.ts';

const hidden = /[\p{C}\p{Zl}\p{Zp}]/u;
/** What is seen: a sequence that colours the text of a terminal is not. */
const without = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sequence begins with one
  text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '').replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '');

test('no hidden character is left but ends of lines and tabs, and every other one stays', () => {
  const unit = fc.constantFrom(
    '\u001b',
    '\u001b[1;31m',
    '\u009b',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ud800',
    '\u2028',
    '\ufdd0',
    '\n',
    '\t',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(unit, fc.string({ unit: 'binary' }))), (parts) => {
      const text = parts.join('');
      const shown = visibleText(text);
      expect(hidden.test(shown.replace(/\r?\n|\t/g, ''))).toBe(false);
      expect(without(shown)).toBe(without(text));
      expect(visibleText(shown)).toBe(shown);
    }),
  );
});

test('a run of hidden characters is one mark, and a name cannot end its own isolation', () => {
  expect(visibleText('a\u202e\u001b[31m\r\nb\r')).toBe('a\ufffd\r\nb\ufffd');
  expect(isolateName('a\ufdd1b')).toBe('\ufdd0a\ufffdb\ufdd1');
  expect(joinWithDots(['a', null, '', false, undefined, 'b'])).toBe(`${isolateName('a')}\u00a0· ${isolateName('b')}`);
});
