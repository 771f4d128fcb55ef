// Text of others, made visible: for any text the result can be shown, and what could be shown stays as it is.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLabel } from '#kernel/net/host-name.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { visibleText as visibleTextOfUpsget } from '#upsget/visible-text.ts';

test.each([
  ['plain text, also 日本語 and é', 'plain text, also 日本語 and é'],
  ['\x1b]0;owned\x07', '\ufffd]0;owned\ufffd'],
  ['a\u202eb\u2066c\u200fd\u061ce', 'a\ufffdb\ufffdc\ufffdd\ufffde'],
  ['a\u200b\u200d\u2060\ufeffb', 'a\ufffdb'],
  ['a\r\nb\u2028c\x85d', 'a\ufffdb\ufffdc\ufffdd'],
  ['half \ud83d, whole \u{1f600}', 'half \ufffd, whole \u{1f600}'],
])('%j', (text, visible) => {
  expect(visibleText(text, 100)).toBe(visible);
});

test('any text: nothing unseen, never longer than asked, no character halved, made once is made', () => {
  const length = fc.integer({ min: 0, max: 20 });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), length, (text, max) => {
      const visible = visibleText(text, max);
      expect(visible).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(visible.length).toBeLessThanOrEqual(max);
      expect(visibleText(visible, max)).toBe(visible);
      expect(visibleTextOfUpsget(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a label is null when nothing of it is seen', () => {
  expect([' tv\0\0', '\u202e', 'living\u200broom', '  '].map(parseLabel)).toEqual(['tv', null, 'living room', null]);
});
