// Each number of a summary has a filter of the log that shows exactly what it counts.
import { expect, test } from 'vitest';
import { hour, noon, openConnectionLog, type UrlQuery } from '../support/connection-log.ts';

test('devices, targets, edges, countries, and what is not known: total of the log is the count of the summary', async () => {
  await using log = openConnectionLog();
  const flows = [0, 1, 2].flatMap((device) =>
    [0, 1, 2, 3, 4, 5].map((at) => ({ src: `10.0.0.${device}`, dst: `203.0.113.${at}`, dport: 80 + device })),
  );
  await log.record(flows.filter((_, at) => at % 5 !== 3));
  // Two that differ in the case of a letter, a host that is called as an organisation, and one of which nothing is known.
  await log.describe('destination', '203.0.113.0', { org: 'Acme', country: 'NL', lat: 52.3, lon: 4.9 });
  await log.describe('destination', '203.0.113.1', { org: 'ACME', host: 'acme.test', country: 'NL' });
  await log.describe('destination', '203.0.113.2', { host: 'Acme' });
  await log.describe('destination', '203.0.113.3', { host: 'acme.test', country: 'JP' });
  await log.judge('203.0.113.1', { level: 'warn' });
  await log.judge('203.0.113.3', { level: 'danger' });
  const window = { from: String(noon - hour), to: String(noon + hour) };
  const total = async (filter: UrlQuery) => (await log.list({ ...window, ...filter, limit: '0' })).total;
  const exactly = (name: string, ...values: string[]) => ({ [name]: values, [`${name}Mode`]: 'exact' });
  for (const scope of [
    {},
    { src: '10.0.0.1' },
    { src: ['10.0.0.2', '10.0.0.0'] },
    { target: 'Acme' },
    { country: 'NL' },
  ]) {
    const asked: UrlQuery = scope;
    const limits = {
      ...(asked.src === undefined ? {} : exactly('fSrc', ...[asked.src].flat())),
      ...(asked.target === undefined ? {} : exactly('fTarget', String(asked.target))),
      ...(asked.country === undefined ? {} : exactly('fCountry', String(asked.country))),
    };
    const summary = await log.ask('summary', { ...window, ...scope });
    const doors: [UrlQuery, number][] = [
      [{}, summary.total],
      [{ fUnknown: 'place' }, summary.total - summary.mapCoverage.totalSessions],
      ...summary.byDevice.map(({ src, count }): [UrlQuery, number] => [exactly('fSrc', src), count]),
      ...summary.byTarget.map(({ key, count }): [UrlQuery, number] => [exactly('fTarget', key), count]),
      ...summary.byEdge.map(({ src, key, count }): [UrlQuery, number] => [
        { ...exactly('fSrc', src), ...exactly('fTarget', key) },
        count,
      ]),
      ...summary.byCountry.map(({ country, count }): [UrlQuery, number] => [
        country === null ? { fUnknown: 'country' } : exactly('fCountry', country),
        count,
      ]),
    ];
    expect(doors.length).toBeGreaterThan(5);
    for (const [filter, count] of doors) {
      expect([scope, filter, await total({ ...limits, ...filter })]).toEqual([scope, filter, count]);
    }
  }
  const { byTarget, uniqueTargets, total: all } = await log.ask('summary', window);
  expect(byTarget.map(({ key, level }) => [key, level])).toEqual([
    ['Acme', 'safe'],
    ['203.0.113.4', 'safe'],
    ['203.0.113.5', 'safe'],
    ['ACME', 'warn'],
    ['acme.test', 'danger'],
  ]);
  expect(uniqueTargets).toBe(5);
  const others = byTarget.slice(2).reduce((sum, { count }) => sum + count, 0);
  const shown = byTarget.slice(0, 2).map(({ key }) => key);
  expect(await total({ fTarget: shown, fTargetMode: 'isNot' })).toBe(others);
  expect(others).toBeLessThan(all);
});
