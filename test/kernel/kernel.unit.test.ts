// Small parts of the kernel: windows, slots, secrets, settings from the environment.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { flag, intOr, readEnv } from '#kernel/env.ts';
import { takesGzip } from '#kernel/http/accept-encoding.ts';
import { RateWindow, Slots } from '#kernel/limiter.ts';
import { createKey, hashToken, matchesHash, seal, unseal } from '#kernel/secret.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('a window lets its limit through and opens again at its end; beyond the cap the oldest key is forgotten', async () => {
  const clock = new ManualClock();
  const window = new RateWindow(clock, 2, 60_000, 2);
  expect([window.take('a'), window.take('a'), window.take('a')].map(({ allowed }) => allowed)).toEqual([
    true,
    true,
    false,
  ]);
  expect(window.take('b').allowed).toBe(true);
  expect(window.take('c')).toMatchObject({ allowed: true, remaining: 1 });
  expect([window.look('b'), window.look('a')].map(({ remaining }) => remaining)).toEqual([1, 2]);
  await clock.advance(60_000);
  expect(window.take('a')).toMatchObject({ allowed: true, remaining: 1, resetAt: clock.now() + 60_000 });
});

test('slots run so many at once, the rest in order, and are given back on failure', async () => {
  const slots = new Slots(2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const work = (n: number) =>
    slots.use(() => {
      started.push(n);
      return new Promise<void>((resolve, reject) => finish.push(n === 1 ? () => reject(new Error('no')) : resolve));
    });
  const all = [1, 2, 3, 4].map((n) => work(n).catch(() => undefined));
  await Promise.resolve();
  expect(started).toEqual([1, 2]);
  finish[0]?.();
  await all[0];
  await Promise.resolve();
  expect(started).toEqual([1, 2, 3]);
  finish[1]?.();
  finish[2]?.();
  await Promise.all([all[1], all[2]]);
  finish[3]?.();
  await all[3];
  expect(started).toEqual([1, 2, 3, 4]);
});

test('a sealed secret opens with its key only, and not after a change', () => {
  const key = createKey();
  fc.assert(
    fc.property(fc.string(), (text) => {
      const sealed = seal(text, key);
      expect(sealed).not.toBe(seal(text, key));
      expect(unseal(sealed, key)).toBe(text);
      expect(() => unseal(sealed, createKey())).toThrow();
      const bytes = Buffer.from(sealed.slice(3), 'base64');
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      expect(() => unseal(`v1:${bytes.toString('base64')}`, key)).toThrow();
    }),
    { numRuns: 100 },
  );
  expect(() => unseal('v2:abc', key)).toThrow(/unknown format/);
});

test('a token matches its own hash only', () => {
  expect(matchesHash('one', hashToken('one'))).toBe(true);
  expect(matchesHash('two', hashToken('one'))).toBe(false);
  expect(matchesHash('one', 'abc')).toBe(false);
});

test('settings: a wrong number falls back, true is exactly true, a wrong value is named', () => {
  const schema = z.object({
    N: intOr(5, 1, 9),
    ON: flag(),
    PORT: z.string().regex(/^\d+$/, 'must be a number').optional(),
  });
  for (const text of ['0', '10', '1.5', '-3', 'x', ' 7', '1e1', '']) {
    expect(readEnv(schema, { N: text }).N).toBe(5);
  }
  expect(readEnv(schema, { N: '7', ON: 'true' })).toMatchObject({ N: 7, ON: true });
  expect(readEnv(schema, { ON: 'TRUE' }).ON).toBe(false);
  expect(() => readEnv(schema, { PORT: 'http' })).toThrow('PORT: must be a number');
  expect(() => readEnv(schema, { PORT_FILE: '/nowhere' })).toThrow(/PORT_FILE: \/nowhere cannot be read/);
});

test('Accept-Encoding takes gzip by name or by *, unless its weight is 0; without the header it does not', () => {
  for (const header of ['gzip', 'br, GZIP;q=0.5', 'x-gzip', '*', 'identity;q=1, *;q=0.1', 'gzip;q=1.0']) {
    expect(takesGzip(header), header).toBe(true);
  }
  for (const header of [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; Q=0.000, *', '*;q=0', 'gzip;q=nonsense']) {
    expect(takesGzip(header), header).toBe(false);
  }
});
