// The rules of publishers that the soak in virtual time watches: kept by good requests, broken by planted ones.
import { expect, test } from 'vitest';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { brokenRules, type FeedRequest } from './feed-watch.ts';

const path = '/feodotracker/downloads/ipblocklist.csv';
const before: FeedRequest = { at: 0, path, status: 304, conditional: true, isGood: true };
const next = (at: number, change: Partial<FeedRequest> = {}): FeedRequest => ({ ...before, at, ...change });

test('an hour after a good answer, five minutes after a bad one, with validators', () => {
  expect(brokenRules(before, undefined)).toEqual([]);
  expect(brokenRules(next(hourMs), before)).toEqual([]);
  expect(brokenRules(next(5 * minuteMs), { ...before, isGood: false, status: 500 })).toEqual([]);
  expect(brokenRules(next(15 * minuteMs), { ...before, isGood: false, status: 429 })).toEqual([]);
});

test('too soon, without validators, before Retry-After', () => {
  expect(brokenRules(next(50 * minuteMs), before)).toEqual([expect.stringContaining('after 50 min')]);
  expect(brokenRules(next(4 * minuteMs), { ...before, isGood: false, status: 500 })).toHaveLength(1);
  expect(brokenRules(next(hourMs, { conditional: false }), before)).toEqual([expect.stringContaining('without')]);
  expect(brokenRules(next(6 * minuteMs), { ...before, isGood: false, status: 429 })).toEqual([
    expect.stringContaining('Retry-After'),
  ]);
});
