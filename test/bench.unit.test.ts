// What benchmarks decide by themselves: the order of their steps, and where a line crosses a target.
import { describe, expect, test } from 'vitest';
import { listOption } from '../bench/benchmark.ts';
import { buildLadder } from '../bench/capacity.ts';
import { crossings } from '../bench/memory-by-flows.ts';

describe('the ladder of the capacity benchmark', () => {
  test('every combination, that with the fewest sessions first, then that with the fewest Agents', () => {
    const steps = buildLadder({ routers: [1, 10], sessions: [1000, 65_000], agents: [8, 0] });
    expect(steps.map(({ routers, sessions, agents }) => [routers, sessions, agents])).toEqual([
      [1, 1000, 0],
      [1, 1000, 8],
      [10, 1000, 0],
      [10, 1000, 8],
      [1, 65_000, 0],
      [1, 65_000, 8],
      [10, 65_000, 0],
      [10, 65_000, 8],
    ]);
  });

  test('a list of numbers is read as it is given, and refused with the name of its option', () => {
    expect(listOption({ routers: '10,4' }, 'routers', '1', 1, 10)).toEqual([10, 4]);
    expect(listOption({}, 'routers', '1,4', 1, 10)).toEqual([1, 4]);
    expect(() => listOption({ routers: '4,11' }, 'routers', '1', 1, 10)).toThrow(/--routers .*from 1 to 10/);
    expect(() => listOption({ routers: '4,' }, 'routers', '1', 1, 10)).toThrow(/--routers/);
  });
});

describe('the line through the memory of several logs', () => {
  const at = (flows: number, wholeMb: number) => ({ flows, wholeMb });

  test('its height without flows, its slope for each million, and where it crosses a target', () => {
    const line = crossings([at(1_000_000, 350), at(3_000_000, 450), at(5_000_000, 550)], [400, 500]);
    expect(line?.baseMb).toBeCloseTo(300);
    expect(line?.mbPerMillion).toBeCloseTo(50);
    expect(line?.millions).toEqual([expect.closeTo(2), expect.closeTo(4)]);
  });

  test('one size shows none', () => {
    expect(crossings([at(1_000_000, 350), at(1_000_000, 351)], [400])).toBeNull();
  });
});
