// The threat feeds of a hub: what is asked for and when, what is kept when a feed fails, and what is said of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import type { Log } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { FeedFault } from '#simulators/feeds/faults.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { postJson } from '../../../support/ai-lab.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { hour, minute, startThreatLab } from '../../../support/threat-lab.ts';

const drop = 'feed_drop';

/** Where nobody listens any more. */
async function closedAddress(): Promise<URL> {
  await using feeds = await startFeeds();
  return feeds.url;
}

test('without a key only the feeds that need none are asked, and the others say what to do', async () => {
  await using lab = await startThreatLab({ key: false });
  expect(lab.asked().map(({ path }) => path)).toEqual([
    '/feodotracker/downloads/ipblocklist.csv',
    '/spamhaus/drop/drop_v4.json',
    '/spamhaus/drop/drop_v6.json',
  ]);
  const { available, feeds } = await lab.as.admin.threat.feeds({});
  expect(available).toBe(true);
  expect(feeds.map(({ id, state, entries }) => [id, state, entries])).toEqual([
    ['feed_c2', 'ok', 2],
    ['feed_ioc', 'unauthorised', 0],
    ['feed_url', 'unauthorised', 0],
    ['feed_drop', 'ok', 2],
  ]);
  expect(feeds[1]?.message).toBe(
    'It needs a free API key of abuse.ch: set one in the settings of the threat feeds. There is no list yet.',
  );
  expect(feeds[3]?.credit).toContain('The Spamhaus Project');
  expect((await lab.as.admin.status.status({})).features['threat-intel']).toEqual({ enabled: true, reason: null });
});

test('with a key all are fetched whole; what has not changed is asked for conditionally', async () => {
  await using lab = await startThreatLab();
  const { feeds, falsePositives } = await lab.as.admin.threat.feeds({});
  expect(feeds.map(({ state, entries }) => [state, entries])).toEqual([
    ['ok', 2],
    ['ok', 3],
    ['ok', 2],
    ['ok', 2],
  ]);
  expect(falsePositives).toMatchObject({ state: 'ok', entries: 1 });
  const before = lab.asked().length;
  await lab.later(27 * hour);
  const again = lab.asked().slice(before);
  expect(again.map(({ path }) => path).sort()).toEqual(
    lab
      .asked()
      .slice(0, before)
      .map(({ path }) => path)
      .sort(),
  );
  expect(again.every(({ status, conditional }) => status === 304 && conditional)).toBe(true);
  const { fetchedAt, checkedAt } = (await lab.as.admin.threat.feeds({})).feeds[3] ?? {};
  expect((checkedAt ?? 0) - (fetchedAt ?? 0)).toBeGreaterThan(24 * hour);
});

test('the same bytes again are no news, though the publisher sends no validators', async () => {
  await using lab = await startThreatLab();
  lab.feeds.fail('no-validators');
  const { fetchedAt } = await lab.feed(drop);
  await lab.later(14 * hour);
  expect(lab.asked('spamhaus').at(-1)?.status).toBe(200);
  expect(await lab.feed(drop)).toMatchObject({ state: 'ok', fetchedAt });
});

/** Faults of a publisher, and what the feed's message must say. */
const ranges = (count: number) => Array.from({ length: count }, (_, index) => ({ cidr: `198.51.${index}.0/24` }));
const rows = { drop: [...ranges(40), { cidr: '2001:db8:bad::/48' }] };
const faults: readonly [FeedFault, RegExp][] = [
  ['html', /it is a web page/],
  ['empty', /it has 0 bytes/],
  ['half', /its last line does not say how many/],
  ['cut-off', /gave no whole answer/],
  ['shrunk', /it has \d entries, and had \d+ before/],
  ['garbled', /of its \d+ rows cannot be read|does not say how many/],
  ['huge', /more than 64 MB/],
  ['bomb', /more than 64 MB/],
  ['error-500', /answered 500/],
  ['too-many', /asked too often/],
  ['forbidden', /answered 403/],
  ['redirect', /redirect \(302\), which is not followed/],
];

describe('a feed that fails keeps its last good data, says so, and recovers by itself', () => {
  test('whatever the failure', async () => {
    await using lab = await startThreatLab({ key: false, rows });
    for (const [index, [fault, says]] of faults.entries()) {
      const before = await lab.feed(drop);
      lab.feeds.list('drop', [...ranges(50 + index), { cidr: '2001:db8:bad::/48' }]);
      lab.feeds.fail(fault, { command: '/spamhaus/drop/drop_v4' });
      await lab.later(14 * hour);
      const failed = await lab.feed(drop);
      expect(failed, fault).toMatchObject({ state: 'stale', entries: before.entries });
      expect(failed.message, fault).toMatch(says);
      expect(failed.message).toContain('is in use');
      lab.feeds.clearFaults();
      await lab.later(2 * hour);
      expect(await lab.feed(drop), fault).toMatchObject({ state: 'ok', message: null, entries: 51 + index });
    }
  });

  test('hang', async () => {
    await using lab = await startThreatLab({ key: false });
    lab.feeds.list('drop', ranges(50));
    lab.feeds.fail('hang', { command: '/spamhaus/drop/drop_v4' });
    lab.clock.jump(lab.clock.now() + 14 * hour);
    await lab.clock.advance(1);
    await lab.settleThroughSilence();
    expect((await lab.feed(drop)).message).toMatch(/did not answer within 30 s/);
    expect(await lab.feed(drop)).toMatchObject({ state: 'stale', entries: 2 });
  });
});

test('a feed that never came is failed, and nothing says that flows are judged', async () => {
  await using lab = await startThreatLab({ key: false, hub: { threatMirror: await closedAddress() } });
  const { available, feeds } = await lab.as.admin.threat.feeds({});
  expect(available).toBe(false);
  expect(feeds.map(({ state }) => state)).toEqual(['failed', 'unauthorised', 'unauthorised', 'failed']);
  expect(feeds[0]?.message).toMatch(/^The publisher gave no whole answer \(ECONNREFUSED\)\. There is no list yet\./);
  const { features } = await lab.as.admin.status.status({});
  expect(features['threat-intel']).toEqual({ enabled: false, reason: 'not_loaded' });
});

test('no thread is left of a refresh, whatever became of it', async () => {
  await using lab = await startThreatLab({ key: false });
  const live = new Set<Worker>();
  const note = (worker: Worker) => {
    live.add(worker);
    worker.once('exit', () => live.delete(worker));
  };
  process.on('worker', note);
  try {
    for (const fault of ['html', null] as const) {
      lab.feeds.clearFaults();
      lab.feeds.list('drop', rows.drop);
      if (fault !== null) {
        lab.feeds.fail(fault, { command: '/spamhaus/drop' });
      }
      await lab.later(14 * hour);
      // The thread of the checkpoints stays.
      await expect.poll(() => live.size, { timeout: 30_000 }).toBeLessThanOrEqual(1);
    }
    expect(await lab.feed(drop)).toMatchObject({ state: 'ok', entries: 41 });
  } finally {
    process.off('worker', note);
  }
});

test('a refused key is not tried again until it is another one', async () => {
  await using lab = await startThreatLab({ key: false });
  await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: 'not-this-one' } });
  await lab.settled();
  const refused = lab.asked('threatfox').length;
  expect(lab.asked('threatfox').every(({ status }) => status === 401)).toBe(true);
  expect(await lab.feed('feed_ioc')).toMatchObject({ state: 'unauthorised' });
  expect((await lab.feed('feed_ioc')).message).toMatch(/^abuse\.ch refused the API key: set one/);
  await lab.later(30 * hour);
  expect(lab.asked('threatfox')).toHaveLength(refused);
  await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: lab.feeds.authKey } });
  await lab.settled();
  expect(await lab.feed('feed_ioc')).toMatchObject({ state: 'ok', entries: 3 });
});

test('Spamhaus is asked for a document once an hour at most, through failures and restarts', async () => {
  await using lab = await startThreatLab({ key: false });
  lab.feeds.fail('error-500', { command: '/spamhaus' });
  lab.feeds.clearJournal();
  for (let round = 0; round < 8; round += 1) {
    await lab.skip(30 * minute);
    if (round % 3 === 0) {
      await lab.restart();
      await lab.skip(minute);
    }
  }
  expect(lab.asked('spamhaus/drop/drop_v4').length).toBeLessThanOrEqual(5);
});

test('what is kept judges after a start without any network', async () => {
  await using lab = await startThreatLab();
  lab.feeds.fail('error-500');
  await lab.restart();
  expect(await lab.as.admin.threat.feeds({})).toMatchObject({ available: true });
  expect(await lab.feed('feed_ioc')).toMatchObject({ state: 'ok', entries: 3 });
  await lab.later(27 * hour);
  expect(await lab.feed('feed_ioc')).toMatchObject({ state: 'stale', entries: 3 });
});

test('offline nobody is asked, and the status says why', async () => {
  await using lab = await startThreatLab({ hub: { offline: true } });
  await lab.later(27 * hour);
  expect(lab.asked()).toEqual([]);
  expect(await lab.feed(drop)).toMatchObject({ state: 'disabled' });
  const { features } = await lab.as.admin.status.status({});
  expect(features['threat-intel']).toEqual({ enabled: false, reason: 'offline_mode' });
  expect(features['manual-threat-lookup']).toEqual({ enabled: false, reason: 'offline_mode' });
});

test('a feed that is switched off lists nothing and is not asked', async () => {
  await using lab = await startThreatLab();
  const body = { feeds: { feed_drop: { enabled: false } } };
  expect(await lab.as.admin.threat.saveFeedsConfig({ body })).toMatchObject({
    success: true,
    authKeySet: true,
    feeds: { feed_drop: { enabled: false }, feed_c2: { enabled: true } },
  });
  await lab.settled();
  const before = lab.asked('spamhaus').length;
  await lab.later(27 * hour);
  expect(lab.asked('spamhaus')).toHaveLength(before);
  expect(await lab.feed(drop)).toMatchObject({ state: 'disabled', entries: 0 });
});

test('the key is nowhere but sealed in the settings: no answer, no log, no message', async () => {
  const lines: string[] = [];
  const write = (...args: unknown[]) => {
    const text = (value: unknown) => (value instanceof Error ? `${value.stack} ${JSON.stringify(value.cause)}` : value);
    lines.push(JSON.stringify(args, (_, value) => text(value)));
  };
  const log = { debug: write, info: write, warn: write, error: write } as unknown as Log;
  await using lab = await startThreatLab({ hub: { log } });
  for (const fault of ['error-500', 'redirect', 'cut-off', 'html', 'forbidden'] as const) {
    lab.feeds.clearFaults();
    lab.feeds.fail(fault);
    await lab.later(27 * hour);
  }
  expect(lines.join('\n')).toContain('a threat feed could not be fetched');
  const answers = [
    await lab.as.admin.threat.feeds({}),
    await lab.as.admin.threat.feedsConfig({}),
    await lab.as.admin.status.status({}),
  ];
  const settings = readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8');
  for (const text of [lines.join('\n'), JSON.stringify(answers), settings]) {
    expect(text).not.toContain(lab.feeds.authKey);
  }
});

test('settings that cannot be meant are refused and change nothing', async () => {
  await using lab = await startThreatLab({ key: false });
  const before = await lab.as.admin.threat.feedsConfig({});
  for (const body of [
    { allowList: ['10.0.0.1'] },
    { allowList: ['a b'] },
    { allowList: Array.from({ length: 201 }, () => 'a.example') },
    { authKey: 'with blank' },
    { feeds: { feed_x: { enabled: true } } },
    { dropLevel: 'safe' },
  ]) {
    expect(await postJson(lab, '/api/config/threat-feeds', body), JSON.stringify(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
  }
  expect(await lab.as.admin.threat.feedsConfig({})).toEqual(before);
});

test('a database that refuses what came is said in the log, and the next fetch is made all the same', async () => {
  const { log, lines } = collectLog('error');
  await using lab = await startThreatLab({ key: false, hub: { log } });
  const run = async (sql: string) => {
    await using db = Object.assign(new Db(path.join(lab.dataDir, 'monitor.db')), {
      [Symbol.asyncDispose]: () => db.close(),
    });
    await db.write((writer) => void writer.prepare(sql).run());
  };
  await run(
    "CREATE TRIGGER by_test BEFORE INSERT ON threat_part BEGIN SELECT RAISE(ABORT, 'refused by the test'); END",
  );
  lab.feeds.list('drop', rows.drop);
  await lab.later(14 * hour);
  const err = { message: expect.stringContaining('refused by the test') };
  expect(lines).toMatchObject([{ msg: 'the threat feeds could not be brought up to date', err }]);
  expect(await lab.feed(drop)).toMatchObject({ entries: 2 });
  await run('DROP TRIGGER by_test');
  await lab.later(minute);
  expect(await lab.feed(drop)).toMatchObject({ state: 'ok', entries: 41 });
  expect(lines).toHaveLength(1);
});

test('a hub that stops waits for no publisher, and says no error of it', async () => {
  const { log, lines } = collectLog('error');
  await using lab = await startThreatLab({ key: false, hub: { log } });
  lab.feeds.fail('hang', { command: '/spamhaus/drop/drop_v4' });
  // What has not changed is answered by a head alone.
  lab.feeds.list('drop', ranges(50));
  const before = lab.asked('spamhaus').length;
  lab.clock.jump(lab.clock.now() + 14 * hour);
  await lab.clock.advance(1);
  await expect.poll(() => lab.asked('spamhaus').length, { timeout: 300_000 }).toBeGreaterThan(before);
  await lab.stop();
  expect(lines).toEqual([]);
});

test('100,000 entries are taken', async () => {
  await using lab = await startThreatLab({ key: false });
  lab.feeds.patch({ madeUp: { url: 100_000 } });
  await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: lab.feeds.authKey } });
  await lab.settled();
  expect(await lab.feed('feed_url')).toMatchObject({ state: 'ok', entries: 100_000 });
});
