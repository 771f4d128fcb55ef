// Each target is red when what it promises does not hold, and the engine finds, shrinks and repeats what fails.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScreen } from '#hub/collect/routers/shell/screen.ts';
import { toPieces } from './checks.ts';
import { createInputs } from './input.ts';
import { findFault } from './output.ts';
import { runTarget } from './run.ts';
import { smaller } from './smaller.ts';
import { defineTarget, type Target } from './target.ts';
import { targets } from './targets.ts';

/** The same target, whose reader throws at the byte `at`: a mistake that no input of the corpus shows at once. */
const throwingAt = (target: Target, byte: number): Target => ({
  ...target,
  judge: (input) => (input.includes(byte) && input.length > 40 ? 'throws Error: planted' : null),
});

test.each(targets.map((target) => [target.name, target] as const))(
  '%s finds a planted fault and makes it small',
  async (_name, target) => {
    const { failure } = await runTarget(throwingAt(target, 0x24), { seed: 1, cases: 20_000 });
    expect(failure?.problem).toMatch(/planted/);
    expect(failure?.input.length).toBeLessThanOrEqual(41);
  },
);

test('the same seed finds the same input after as many cases', async () => {
  const [target] = targets;
  const outcomes = target ? [1, 1, 2].map((seed) => runTarget(throwingAt(target, 0x24), { seed, cases: 20_000 })) : [];
  const [one, two, other] = (await Promise.all(outcomes)).map(
    ({ cases, failure }) => `${cases} ${failure?.input.toString('hex')}`,
  );
  expect(one).toBe(two);
  expect(other).not.toBe(one);
});

describe('promises that are broken', () => {
  const parsed = (what: (text: string) => unknown, more = {}) =>
    defineTarget({
      name: 'planted',
      modules: [],
      seeds: ['{"a":[1,"b"]}', 'one two'],
      parse: (input) => what(input.toString()),
      ...more,
    });
  const polluted = (text: string) => {
    const target: Record<string, unknown> = {};
    const given = (JSON.parse(text) as { name: string }).name;
    Object.assign(target[given] ?? {}, { polluted: true });
    return target;
  };
  test.each<[string, Target, string, RegExp]>([
    ['an error nobody declared', parsed((text) => JSON.parse(text)), '{', /^throws SyntaxError/],
    ['a number that is none', parsed((text) => [Number(text)]), 'x', /the number NaN/],
    ['a number without end', parsed((text) => ({ at: Number(text) * 1000 })), '1e308', /the number Infinity/],
    [
      'a control character',
      parsed((text) => new Map([[text, 1]]), { isVisible: true }),
      'a\u001b[2J',
      /the output holds "a\\u001b/,
    ],
    ['half a character', parsed((text) => text.slice(0, 1), { isVisible: true }), '\u{1f600}', /the output holds/],
    [
      'a foreign prototype',
      parsed((text) => Object.setPrototypeOf({}, JSON.parse(text))),
      '{"x":1}',
      /prototype from the input/,
    ],
    ['a polluted prototype', parsed(polluted), '{"name":"__proto__"}', /Object.prototype has the new member polluted/],
    ['more than is there', parsed((text) => text.repeat(100)), 'x'.repeat(500), /larger than 32 times/],
    ['a fault of its own', parsed((text) => text, { fault: () => 'wrong' }), 'x', /^wrong$/],
  ])('%s', (_what, target, input, problem) => {
    expect(target.judge(Buffer.from(input))).toMatch(problem);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('what is fine is fine', () => {
    expect(parsed((text) => JSON.parse(text)).judge(Buffer.from('{"__proto__":{"a":1}}'))).toBeNull();
    expect(parsed(() => null, { declares: () => true }).judge(Buffer.from('x'))).toBeNull();
    class Made {
      at = 1;
    }
    expect(findFault([new Made(), new Set([1]), Object.create(null), null, 1n], 10, { isVisible: true })).toBeNull();
  });

  test('a reader that depends on how its bytes are cut', async () => {
    const careless = (pieces: Buffer[]) => {
      const lines: string[] = [];
      const screen = createScreen('utf-8', ({ text, isDamaged }) => isDamaged || lines.push(text));
      // Each piece as text of its own: what a character has in two pieces is lost.
      for (const piece of pieces) {
        screen.feed(Buffer.from(piece.toString()));
      }
      return lines;
    };
    const target = defineTarget({
      ...{ name: 'planted', modules: [], seeds: ['前の行\r\n後の行\r\n'] },
      parse: (input) => [careless([input]), careless(toPieces(input))],
      fault: ([whole, cut]) =>
        JSON.stringify(whole) === JSON.stringify(cut) ? null : 'cut into pieces it reads otherwise',
    });
    expect((await runTarget(target, { seed: 1, cases: 200 })).failure?.problem).toMatch(/cut into pieces/);
  });

  test('time that grows with the square of the input', async () => {
    const spaces = parsed((text) => /\s+z/.test(text.slice(0, 8000)), { seeds: ['a b  c'] });
    const { failure } = await runTarget(spaces, { seed: 1, cases: 20_000, cpuMs: 2 });
    expect(failure?.problem).toMatch(/ms of CPU for 64 kB/);
  });
});

test('inputs are drawn by the seed, are never longer than 64 kB, and some are that long', () => {
  for (const target of targets.slice(3, 7)) {
    const [one, two] = [1, 1].map((seed) => fc.sample(createInputs(target), { seed, numRuns: 2000 }));
    expect(one).toEqual(two);
    expect(Math.max(...(one ?? []).map(({ length }) => length))).toBeGreaterThan(65_000);
    expect(Math.max(...(one ?? []).map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    expect(new Set((one ?? []).map((input) => input.toString('latin1'))).size).toBeGreaterThan(200);
  }
});

test('smaller takes away all that does not matter', async () => {
  const input = Buffer.from(`${'x'.repeat(3000)}AB${'y'.repeat(2000)}`);
  expect((await smaller(input, async (next) => next.includes('AB'))).toString()).toBe('AB');
  expect(await smaller(input, async () => true)).toHaveLength(0);
});
