// The documents that Agents fetch: places and threat indicators, with tags.
import path from 'node:path';
import { expect } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { RawAnswer } from '../support/actors.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { startThreatLab } from '../support/threat-lab.ts';
import { verifies } from '../support/verifies.ts';

function getter(lab: Lab<never>, token: string, document: string) {
  return (tag?: string): Promise<RawAnswer> =>
    lab.as.raw({
      method: 'GET',
      path: `/api/agent/${document}`,
      headers: { authorization: `Bearer ${token}`, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
    });
}

/** Gives a destination of the log a place. */
async function place(lab: Lab<never>, address: string, lat: number, lon: number): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) =>
    writer
      .prepare("UPDATE destination SET lat = ?, lon = ?, country = 'NL', city = NULL WHERE address = ?")
      .run(lat, lon, address),
  );
  await db.close();
}

verifies(
  'rest.agents.geo-cache rest.agents.geo-cache-etag',
  'every place is in the document; its tag stays while they do, and is compared as RFC 9110 says',
  async () => {
    await using lab = await startLab();
    const { client, token } = await enrolAgent(lab);
    const get = getter(lab, token, 'geo-cache');
    const empty = await get();
    expect(empty.body).toEqual({ schemaVersion: 1, generatedAt: expect.any(String), entries: [] });
    const at = lab.clock.now();
    const to = (remoteAddress: string) => observation(at, { remoteAddress });
    await client.agents.ingest({ body: batchOf(at, [to('203.0.113.80'), to('198.51.100.4'), to('203.0.113.9')]) });
    await lab.settled();
    await lab.skip(minuteMs);
    const same = await get(String(empty.headers.etag));
    expect([same.status, same.text, same.headers.etag]).toEqual([304, '', empty.headers.etag]);
    const opaque = String(empty.headers.etag).replace('W/', '');
    expect((await get('*')).status).toBe(304);
    expect((await get(`"other", ${opaque}`)).status).toBe(304);
    expect((await get('"other"')).status).toBe(200);
    await place(lab, '203.0.113.80', 52.3, 4.9);
    await place(lab, '198.51.100.4', -1.5, 0);
    await lab.skip(minuteMs);
    const placed = await get(String(empty.headers.etag));
    expect([placed.status, placed.body]).toMatchObject([
      200,
      {
        entries: [
          ['198.51.100.4', -1.5, 0, 'NL', null],
          ['203.0.113.80', 52.3, 4.9, 'NL', null],
        ],
      },
    ]);
    const query = await lab.as.raw({
      ...{ method: 'GET', path: '/api/agent/geo-cache?ip=203.0.113.80' },
      headers: { authorization: `Bearer ${token}` },
    });
    expect(query.status).toBe(400);
  },
);

verifies(
  'rest.agents.threat-intel rest.agents.threat-intel-etag',
  'every indicator is in the document, by kind, with its feed, tag and confidence; its tag changes with them',
  async () => {
    await using lab = await startThreatLab();
    const { token } = await enrolAgent(lab);
    const get = getter(lab, token, 'threat-intel');
    const answer = await get();
    const document = answer.body as Record<'ips' | 'domains' | 'cidrs', [string, string, string | null, string][]> & {
      available: boolean;
      fetchedAt: string;
    };
    expect(document.available).toBe(true);
    expect(document.fetchedAt).toMatch(/Z$/);
    expect([document.ips.length > 0, document.domains.length > 0, document.cidrs.length > 0]).toEqual([
      true,
      true,
      true,
    ]);
    const feeds = new Set([...document.ips, ...document.domains, ...document.cidrs].map(([, feed]) => feed));
    expect([...feeds].sort()).toEqual(['feed_c2', 'feed_drop', 'feed_ioc', 'feed_url']);
    const rows = [...document.ips, ...document.domains, ...document.cidrs];
    expect(new Set(rows.map(([value, feed]) => `${value} ${feed}`)).size).toBe(rows.length);
    expect(rows.map(([, , , confidence]) => confidence)).toContain('high');
    expect((await get(String(answer.headers.etag))).status).toBe(304);
    await lab.as.admin.threat.saveFeedsConfig({ body: { feeds: { feed_drop: { enabled: false } } } });
    await lab.settled();
    const without = await get(String(answer.headers.etag));
    expect([without.status, (without.body as typeof document).cidrs]).toEqual([200, []]);
  },
);

verifies('rest.agents.threat-intel-unavailable', 'without feeds the document says that nothing is known', async () => {
  await using lab = await startLab({ hub: { offline: true } });
  const { token } = await enrolAgent(lab);
  const answer = await getter(lab, token, 'threat-intel')();
  expect(answer.body).toEqual({
    ...{ schemaVersion: 1, generatedAt: expect.any(String), available: false, fetchedAt: null },
    ...{ ips: [], domains: [], cidrs: [] },
  });
});
