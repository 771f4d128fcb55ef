// Whether "safe" was looked at: how much of the feeds judged the counts, in the answer and in words.
import { expect, test } from 'vitest';
import { startLab } from '../../../support/lab.ts';
import { startThreatLab } from '../../../support/threat-lab.ts';

const judged = async (lab: Awaited<ReturnType<typeof startLab>>) => {
  const { judged, judgedWhy } = await lab.as.admin.connections.threatCounts({ query: {} });
  return [judged, judgedWhy?.reason ?? null, judgedWhy?.message ?? null, judgedWhy?.feeds ?? null];
};

test('without feeds nothing is judged, and the reason is said', async () => {
  await using lab = await startLab();
  expect(await judged(lab)).toEqual(['none', 'offline_mode', expect.stringMatching(/offline.*safe.*nothing/), []]);
});

test('all feeds judge fully, some in part, none not at all', async () => {
  await using lab = await startThreatLab();
  expect(await judged(lab)).toEqual(['full', null, null, null]);
  const off = { enabled: false };
  const save = async (feeds: Record<string, { enabled: boolean }>) => {
    await lab.as.admin.threat.saveFeedsConfig({ body: { feeds } as never });
    await lab.settled();
  };
  await save({ feed_url: off });
  expect(await judged(lab)).toEqual(['partial', 'feeds_missing', expect.stringMatching(/URLhaus/), ['feed_url']]);
  await save({ feed_c2: off, feed_ioc: off, feed_url: off, feed_drop: off });
  expect(await judged(lab)).toEqual(['none', 'no_feed_enabled', expect.stringMatching(/switch.*on/), []]);
});
