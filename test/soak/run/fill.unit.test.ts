import { expect, test } from 'vitest';
import type { World } from '../world/world.ts';
import { createFill } from './fill.ts';

test('Agents deliver more, and a program reads, in the first five minutes of each life of the hub', async () => {
  const at = { now: 0, life: 1 };
  const said: unknown[] = [];
  const hub = {
    get life() {
      return at.life;
    },
  };
  const agents = { pace: { rate: 12, observations: 8 }, control: async (...words: unknown[]) => void said.push(words) };
  const mcp = { read: async () => void said.push('read') };
  const fill = createFill({ hub, agents, mcp } as unknown as World, () => at.now);
  const filling = ['PATCH', '/state', { rate: 24, observations: 200 }];
  const own = ['PATCH', '/state', { rate: 12, observations: 8 }];
  const reads = Array(5).fill('read');
  const seen = async (minutes: number, life: number) => {
    Object.assign(at, { now: minutes * 60_000, life });
    await fill();
    return said.splice(0);
  };
  expect(await seen(0, 1)).toEqual([filling, ...reads]);
  expect(await seen(4.9, 1)).toEqual(reads);
  expect(await seen(5, 1)).toEqual([own]);
  expect(await seen(6, 1)).toEqual([]);
  expect(await seen(7, 2)).toEqual([filling, ...reads]);
  // A restart in between: five minutes from then on.
  expect(await seen(10, 3)).toEqual(reads);
  expect(await seen(14.9, 3)).toEqual(reads);
  expect(await seen(15, 3)).toEqual([own]);
});
