// The order of routers by links between flows, where simulated routers cannot go: no translation, circles, ways that part.
import { expect, test } from 'vitest';
import { orderStages } from '#hub/record/connections/query/chain.ts';
import type { Link, Links } from '#hub/record/connections/query/links.ts';

type Short = [innerFlow: number, innerRouter: string, outerFlow: number, outerRouter: string, seenAt?: number];

function linksOf(...all: Short[]): Links {
  const links = all.map(([innerFlow, innerRouter, outerFlow, outerRouter, seenAt = 0]): Link => {
    const sources = { innerSrc: `source ${innerFlow}`, outerSrc: `source ${outerFlow}` };
    const session = { sport: 1, port: 2, beyondAddress: null, beyondPort: null };
    return { innerFlow, innerRouter, outerFlow, outerRouter, seenAt, ...sources, ...session };
  });
  const latest = [...links].sort((one, other) => other.seenAt - one.seenAt);
  return {
    onward: (flow) => latest.filter(({ innerFlow }) => innerFlow === flow),
    into: (flow) => latest.filter(({ outerFlow }) => outerFlow === flow),
    has: (flow) => latest.some(({ innerFlow, outerFlow }) => innerFlow === flow || outerFlow === flow),
    addressOf: () => null,
  };
}

const routersOf = (links: Links, flow: number, ...observedBy: string[]) =>
  orderStages(links, { flow, src: `source ${flow}`, observedBy })?.map(({ routerId }) => routerId) ?? null;

test('a router that leaves the source as it is stands before the one that has it as its source', () => {
  expect(routersOf(linksOf([1, 'b', 1, 'a']), 1, 'a', 'b')).toEqual(['b', 'a']);
  expect(routersOf(linksOf([1, 'b', 1, 'a'], [1, 'a', 2, 'c']), 1, 'a', 'b')).toEqual(['b', 'a', 'c']);
});

test('routers that no link joins have no order', () => {
  expect(routersOf(linksOf(), 1, 'a', 'b')).toBeNull();
  expect(routersOf(linksOf([1, 'a', 2, 'c']), 1, 'a', 'b')).toBeNull();
});

test('a circle has no order, and ends', () => {
  expect(routersOf(linksOf([1, 'a', 1, 'b'], [1, 'b', 1, 'a']), 1, 'a', 'b')).toBeNull();
  expect(routersOf(linksOf([1, 'a', 2, 'b'], [2, 'b', 1, 'a']), 1, 'a')).toBeNull();
  expect(routersOf(linksOf([1, 'a', 2, 'b'], [2, 'b', 3, 'a'], [3, 'a', 2, 'b']), 1, 'a')).toBeNull();
});

test('of two ways onward, and of two routers behind, the one seen last counts', () => {
  expect(routersOf(linksOf([1, 'a', 2, 'b', 10], [1, 'a', 3, 'c', 20]), 1, 'a')).toEqual(['a', 'c']);
  expect(routersOf(linksOf([1, 'a', 3, 'c', 10], [2, 'b', 3, 'c', 20]), 3, 'c')).toEqual(['b', 'c']);
});

test('what is behind two translations is found over both', () => {
  const links = linksOf([1, 'a', 3, 'b'], [2, 'a', 3, 'b'], [3, 'b', 4, 'c']);
  expect(routersOf(links, 4, 'c')).toEqual(['a', 'b', 'c']);
  const [first] = orderStages(links, { flow: 4, src: 'source 4', observedBy: ['c'] }) ?? [];
  expect(first).toMatchObject({ flowsTotal: 2, flows: [{ id: 1 }, { id: 2 }] });
});
