// A pool of texts is a list of strings: what is added is read again, by number, also after pools were joined.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPoolBuilder, isSameText, joinPools, readText, type TextPool } from '#kernel/columns/text-pool.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

const word = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }), fc.constant(''));
const words = fc.array(word, { maxLength: 30 });
const toVisible = (text: string) => visibleText(text, text.length);
const readAll = (pool: TextPool) => Array.from(pool.ends, (_end, index) => readText(pool, index));

function build(texts: readonly string[]): TextPool {
  const builder = createPoolBuilder();
  for (const text of texts) {
    builder.append(text);
  }
  return builder.build();
}

test.each(['append', 'intern'] as const)(
  'each text of %s is read by its number; an interned one is there once',
  (add) => {
    fc.assert(
      fc.property(words, (texts) => {
        const builder = createPoolBuilder();
        const numbers = texts.map((text) => builder[add](text));
        const pool = builder.build();
        const kept = texts.filter((text) => text !== '');
        expect(numbers.map((number) => readText(pool, number))).toEqual(texts.map(toVisible));
        expect(readAll(pool)).toEqual(['', ...(add === 'append' ? kept : new Set(kept))].map(toVisible));
      }),
    );
  },
);

test('joined pools have the texts of all, each at its number plus the offset of its pool', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 4 }), (lists) => {
      const pools = lists.map(build);
      const { texts, offsets } = joinPools(pools);
      expect(readAll(texts)).toEqual(['', ...pools.flatMap((pool) => readAll(pool).slice(1))]);
      for (const [at, pool] of pools.entries()) {
        const moved = readAll(pool).map((_text, index) => readText(texts, index && index + (offsets[at] ?? 0)));
        expect(moved).toEqual(readAll(pool));
      }
    }),
  );
});

test('texts of two pools are the same when they read the same', () => {
  const few = fc.array(fc.stringMatching(/^[ab]{0,3}$/), { maxLength: 8 });
  fc.assert(
    fc.property(few, few, (one, other) => {
      const [left, right] = [build(one), build(other)];
      for (const [a, text] of readAll(left).entries()) {
        expect(readAll(right).map((_text, b) => isSameText(left, a, right, b))).toEqual(
          readAll(right).map((found) => found === text),
        );
      }
    }),
  );
});

test('a pool grows beyond its first 64 KiB and 4,096 texts', () => {
  const texts = Array.from({ length: 10_000 }, (_, index) => `${index} of many: ${'ä'.repeat(index % 20)}`);
  expect(readAll(build(texts)).slice(1)).toEqual(texts);
  const long = 'ß'.repeat(200_000);
  expect(readText(build(['a', long, 'z']), 2)).toBe(long);
});
