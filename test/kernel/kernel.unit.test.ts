// Small parts of the kernel: windows, slots, secrets, settings from the environment.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { takesGzip } from '#kernel/http/accept-encoding.ts';
import { FixedWindowLimiter, Semaphore } from '#kernel/http/limiter.ts';
import { flag, oneOf, orDefault, readEnv, whole } from '#kernel/process/env.ts';
import { hashToken, matchesHash } from '#kernel/text/secret.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('a key that begins anew is younger than the others: beyond the cap one that began before it is forgotten', async () => {
  const clock = new ManualClock();
  const window = new FixedWindowLimiter(clock, 2, 60_000, 3);
  window.take('a');
  await clock.advance(30_000);
  window.take('b');
  await clock.advance(30_000);
  for (const key of ['a', 'c', 'd']) {
    expect(window.take(key).remaining).toBe(1);
  }
  expect(['a', 'b', 'c', 'd'].map((key) => window.look(key).remaining)).toEqual([1, 2, 1, 1]);
});

test('a window is shut up to its end, and one that a clock which was put back left in the future is over', async () => {
  const clock = new ManualClock();
  const window = new FixedWindowLimiter(clock, 1, 60_000);
  expect(window.take('a').allowed).toBe(true);
  await clock.advance(59_999);
  expect([window.look('a').allowed, window.take('a').allowed]).toEqual([false, false]);
  await clock.advance(1);
  expect([window.look('a').allowed, window.take('a').allowed]).toEqual([true, true]);
  clock.jump(clock.now() - 1);
  expect([window.look('a').allowed, window.take('a').allowed]).toEqual([true, true]);
});

test('slots run so many at once, the rest in order, and are given back on failure', async () => {
  const slots = new Semaphore(2);
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

test('a token matches its own hash only', () => {
  expect(matchesHash('one', hashToken('one'))).toBe(true);
  expect(matchesHash('two', hashToken('one'))).toBe(false);
  expect(matchesHash('one', 'abc')).toBe(false);
});

const envSchema = z.object({
  N: whole(1, 9).default(5),
  LIMIT: orDefault(whole(1, 9).default(5)),
  ON: flag(),
  LEVEL: oneOf(['low', 'high']).default('low'),
  PORT: z.string().regex(/^\d+$/, 'must be a number').optional(),
});

test('settings: absent and empty are the default, a right value is taken', () => {
  const defaults = { N: 5, LIMIT: 5, ON: false, LEVEL: 'low' };
  expect(readEnv(envSchema, {})).toEqual(defaults);
  expect(readEnv(envSchema, { N: '', LIMIT: '', ON: '', LEVEL: '' })).toEqual(defaults);
  const given = { N: '7', LIMIT: '9', ON: 'true', LEVEL: 'high' };
  expect(readEnv(envSchema, given)).toEqual({ N: 7, LIMIT: 9, ON: true, LEVEL: 'high' });
  expect(readEnv(envSchema, { ON: 'false' }).ON).toBe(false);
});

test('settings: what is no true or false, no number of the range, no word of the list is refused with its name and value', () => {
  for (const text of ['yes', '1', 'TRUE', 'on', 'True', '0', 'no', ' true']) {
    expect(() => readEnv(envSchema, { ON: text })).toThrow(`ON: must be true or false, not "${text}"`);
  }
  for (const text of ['0', '10', '1.5', '-3', 'x', ' 7', '1e1']) {
    expect(() => readEnv(envSchema, { N: text })).toThrow(`N: must be a whole number from 1 to 9, not "${text}"`);
  }
  expect(() => readEnv(envSchema, { LEVEL: 'LOW' })).toThrow('LEVEL: must be low or high, not "LOW"');
  expect(() => readEnv(envSchema, { PORT: 'http' })).toThrow('PORT: must be a number');
  expect(() => readEnv(envSchema, { PORT_FILE: '/nowhere' })).toThrow(/PORT_FILE: \/nowhere cannot be read/);
});

test('settings: a limit that the specification gives a default for takes it, and the warning names variable and value', () => {
  for (const text of ['0', '10', '1.5', 'x', '9\n']) {
    const warned: string[] = [];
    expect(readEnv(envSchema, { LIMIT: text, N: '3' }, (sentence) => warned.push(sentence))).toMatchObject({
      LIMIT: 5,
      N: 3,
    });
    expect(warned).toEqual([
      `LIMIT: must be a whole number from 1 to 9, not ${JSON.stringify(text)}; the default is used: 5`,
    ]);
  }
  expect(() => readEnv(envSchema, { LIMIT: 'x', N: 'x' }, () => undefined)).toThrow(/^N: /);
});

test('Accept-Encoding takes gzip by name or by *, unless its weight is 0; without the header it does not', () => {
  for (const header of ['gzip', 'br, GZIP;q=0.5', 'x-gzip', '*', 'identity;q=1, *;q=0.1', 'gzip;q=1.0']) {
    expect(takesGzip(header), header).toBe(true);
  }
  for (const header of [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; Q=0.000, *', '*;q=0', 'gzip;q=nonsense']) {
    expect(takesGzip(header), header).toBe(false);
  }
});
