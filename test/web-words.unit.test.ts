// Words and numbers of the page that can be wrong without a browser: plurals, bins of a histogram, reasons of gaps.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messages, percent } from '#hub/collect/routers/unseen/messages.ts';
import { describeReason } from '#hub/record/coverage/reasons.ts';
import { toBins } from '../src/web/parts/bins.ts';
import { shownStepMs } from '../src/web/text/duration-step.ts';
import { en } from '../src/web/text/en.ts';
import { en as settings } from '../src/web/text/settings/en.ts';

test('one of a thing is not called by the plural', () => {
  const { routers, feeds } = settings;
  const sentences = [
    en.connectionsTitle(1, '1'),
    en.devices.noteLeft(1, '1'),
    feeds.entries(1, '1'),
    routers.notUnderstood(1, '1'),
    routers.notRead(1, '1'),
    routers.natChoice('1', '', 1, '1'),
  ];
  expect(sentences.filter((one) => /connections|characters|results|entries|lines|rows|sessions/.test(one))).toEqual([]);
});

test('no two rows of a histogram look alike, and every interval is in one row', () => {
  const interval = fc.integer({ min: 1000, max: 100 * 3_600_000 });
  const close = fc.tuple(interval, fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 1 }));
  fc.assert(
    fc.property(close, ([middle, factors]) => {
      const intervals = factors.map((factor) => middle * factor);
      const bins = toBins(intervals);
      const shown = bins.map(({ fromMs, toMs }) =>
        [fromMs, toMs].map((ms) => Math.round(ms / shownStepMs(ms)) * shownStepMs(ms)),
      );
      expect(new Set(shown.map(String)).size).toBe(bins.length);
      expect(bins.length === 1 || shown.every(([from, to]) => from !== to)).toBe(true);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(intervals.length);
      expect(bins.length).toBeLessThanOrEqual(8);
    }),
  );
});

test('every failure of a router is a sentence, not a code', () => {
  for (const failure of [...Object.keys(settings.routers.failures), 'one that is not known yet']) {
    expect(describeReason(failure)).toMatch(/^[^()_]+$/);
  }
  expect(describeReason('timed_out')).not.toBe(describeReason('unreachable'));
});

test('a share that is nothing or nearly nothing is not a number', () => {
  expect(messages.byEvents(0, 60)).toMatch(/^no connection /);
  expect(messages.byEvents(0.000_001, 60)).toMatch(/^less than 0.01 % of the connections /);
  expect(messages.share(0.000_001, 60_000, false, 1000)).toMatch(/^less than 0.01 % of the connections /);
  expect(messages.share(0.25, 60_000, true, 1000)).toMatch(/^about 25.0 % of the connections /);
  expect(percent(0.25)).toBe('25.0 %');
});
