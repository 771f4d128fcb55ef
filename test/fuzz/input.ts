// The arbitrary of inputs: a window of a seed, and changes to it. Few changes of the first seed are the simplest.
import fc from 'fast-check';
import { applyChange, type Material, type Numbers, stretch } from './mutate.ts';
import { applyJsonChange } from './mutate-json.ts';
import type { Target } from './target.ts';

/** Longest input: what a test of speed is measured by. */
const mostBytes = 65_536;

/** One case of so many is stretched to 64 kB. */
const stretchedEvery = 300;

export function createInputs({ seeds, words, isJson }: Target): fc.Arbitrary<Buffer> {
  const material: Material = {
    seeds: seeds.map((seed) => seed.toString('latin1')),
    words: words.map((word) => word.toString('latin1')),
  };
  const number = fc.nat();
  const numbers: fc.Arbitrary<Numbers> = fc.tuple(number, number, number, number);
  return fc
    .tuple(fc.nat(Math.max(0, seeds.length - 1)), number, fc.array(numbers, { maxLength: 6 }), number, numbers)
    .map(([seed, window, changes, luck, far]) => {
      let text = cutWindow(material.seeds[seed] ?? '', window, isJson);
      for (const [at, one] of changes.entries()) {
        // The bytes of a document last, and seldom: most of them make it no document.
        const isOfBytes = !isJson || (at === changes.length - 1 && luck % 4 === 0);
        text = isOfBytes ? applyChange(text, one, material) : applyJsonChange(text, one);
      }
      text = luck % stretchedEvery === 1 ? stretch(text, far, material) : text;
      return Buffer.from(text.slice(0, mostBytes), 'latin1');
    });
}

/** All of a small seed and of a document; of a larger one mostly a few lines. */
function cutWindow(seed: string, number: number, isWhole: boolean): string {
  if (isWhole || seed.length <= 1200 || number % 40 === 0) {
    return seed.slice(0, mostBytes);
  }
  const head = number % 3 === 0 ? '' : seed.slice(0, 300);
  const at = seed.indexOf('\n', number % seed.length) + 1;
  return head + seed.slice(at, at + 200 + (number % 900));
}
