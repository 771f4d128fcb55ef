// Which sessions of two tables are one: what is due to be stored, and what proves nothing.
import { expect, test } from 'vitest';
import type { Session } from '#hub/collect/routers/driver.ts';
import { mayBeChance } from '#hub/collect/routers/path/chance.ts';
import { createSeries } from '#hub/collect/routers/path/series.ts';
import { hourMs } from '#kernel/time/time.ts';
import { sessionWith } from './tables.ts';

const session = (more: Partial<Session>) =>
  sessionWith({ src: '192.168.10.2', outerAddress: '192.168.20.7', outerPort: 60_000, ...more });

const targets = ['203.0.113.80', '203.0.113.81', '203.0.113.82'];
const inner = targets.map((dst, index) => session({ dst, outerPort: 60_000 + index }));
const outerOf = (src: string) =>
  targets.map((dst, index) => session({ dst, src, sport: 60_000 + index, outerAddress: '203.0.113.9' }));
const outer = outerOf('192.168.20.7');

/** Reads both tables in turn: each remembers of itself what the other one may have. */
async function links(series: ReturnType<typeof createSeries>, at: number, beyond = outer, within = inner) {
  await series.read('inner', within, at);
  await series.read('outer', beyond, at);
  return series.read('inner', within, at);
}

test('links come until they are stored, again after an hour, and when the outer source is another one', async () => {
  const series = createSeries(60_000);
  expect((await links(series, 0)).translated.links).toHaveLength(3);
  const shown = await links(series, 1);
  expect(shown.translated.links).toHaveLength(3);
  shown.stored();
  expect((await links(series, 2)).translated.links).toHaveLength(0);
  expect((await links(series, hourMs)).translated.links).toHaveLength(0);
  const later = await links(series, hourMs + 1);
  expect(later.translated.links).toHaveLength(3);
  later.stored();
  const [moved, others] = [outerOf('192.168.20.8'), inner.map((one) => ({ ...one, outerAddress: '192.168.20.8' }))];
  expect((await links(series, hourMs + 2, moved, others)).translated.links).toMatchObject(
    Array(3).fill({ outer: { src: '192.168.20.8' } }),
  );
});

test('one session, or any number of ICMP, proves nothing; two of their own destinations do', async () => {
  const count = async (within: Session[], beyond: Session[]) =>
    (await links(createSeries(60_000), 0, beyond, within)).translated.links.length;
  expect(await count(inner.slice(0, 1), outer.slice(0, 1))).toBe(0);
  expect(await count(inner.slice(0, 2), outer.slice(0, 2))).toBe(2);
  const icmp = (all: Session[]) => all.map((one) => ({ ...one, proto: 'ICMP', dport: 0 }));
  expect(await count(icmp(inner), icmp(outer))).toBe(0);
  expect(await count([...inner, ...icmp(inner)], [...outer, ...icmp(outer)])).toBe(6);
});

test('what is expected by chance is never taken for more', () => {
  expect(mayBeChance(1, 1 / 4096)).toBe(true);
  expect(mayBeChance(2, 2 / 4096)).toBe(false);
  expect(mayBeChance(3, 0.6)).toBe(true);
  expect(mayBeChance(5, 5)).toBe(true);
  expect(mayBeChance(40, 0.6)).toBe(false);
});
