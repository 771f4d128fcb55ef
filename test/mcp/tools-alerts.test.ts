// get_alerts says what the detection log says: threats, new devices, beacons and retro-matches, newest first.
import path from 'node:path';
import { expect } from 'vitest';
import type { Threat } from '#contract/model.ts';
import type { RetroMatch } from '#contract/retro-match.ts';
import { findAlert } from '#hub/identify/detection/alerts/record.ts';
import { type Detected, insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { legacy, type McpLab, startMcpLab } from '../support/mcp-lab.ts';
import { verifies } from '../support/verifies.ts';

const hour = 3_600_000;

/** Writes into the detection log of a hub that runs, as its own detectors would. */
async function detect(scene: McpLab, detected: readonly Detected[]): Promise<void> {
  const db = new Db(path.join(scene.lab.dataDir, 'monitor.db'));
  try {
    await db.write((writer) => {
      for (const one of detected) {
        const labels = readLabels(writer, one);
        insertDetection(writer, one, labels, null, findAlert(writer, one, labels).alertId);
      }
    });
  } finally {
    await db.close();
  }
}

verifies('mcp.tools.get-alerts', 'the same rows in the same order, with feed, confidence and detail', async () => {
  await using scene = await startMcpLab();
  const now = scene.lab.clock.now();
  const threat: Threat = {
    ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: 'c2 server', matchType: 'ip' },
    ...{ matchValue: '198.51.100.9', port: null, url: null },
  };
  const change = { cause: 'list', previousAt: now - 2 * hour, listedAt: now - hour } as const;
  const seen = { firstSeen: now - 72 * hour, lastSeen: now - 71 * hour };
  const retro: RetroMatch = {
    ...{ flows: 2, connections: [{ id: '192.168.1.20,198.51.100.9,8443,TCP', ...seen }], ...seen, ...change },
    ...{ feed: 'feed_c2', level: 'danger', isOngoing: false },
  };
  await detect(scene, [
    { type: 'new_device', at: now - 30 * hour, src: '192.168.1.30' },
    { type: 'new_device', at: now - 3 * hour, src: '192.168.1.10' },
    { type: 'beacon', at: now - 2 * hour, src: '192.168.1.10', dst: '203.0.113.80', intervalMs: 300_400, obsCount: 12 },
    { type: 'threat', at: now - hour, src: '192.168.1.20', dst: '198.51.100.9', dport: 8443, proto: 'TCP', threat },
    { type: 'retro_match', at: now - hour + 1, src: '192.168.1.20', dst: '198.51.100.9', threat, retro },
  ]);
  const { alerts } = await scene.lab.as.admin.alerts.list({ query: { kind: 'threat' } });
  await scene.lab.as.admin.alerts.acknowledgeMany({ body: { ids: alerts.map(({ id }) => id) } });
  const said = async (args: Record<string, unknown>) => {
    const { body } = await scene.post(legacy('tools/call', { name: 'get_alerts', arguments: args }));
    return (body.result as { structuredContent: Record<string, unknown> & { alerts: object[] } }).structuredContent;
  };
  const details: Record<string, string | null> = {
    threat: 'c2 server',
    retro_match: 'c2 server',
    beacon: 'every 300 s, seen 12 times',
  };
  const shownRetro = {
    ...{ connections: 2, contactedSince: isoTime(seen.firstSeen), contactedUntil: isoTime(seen.lastSeen) },
    ...{ isOngoing: false, level: 'danger', cause: 'list' },
    ...{ notListedAt: isoTime(change.previousAt), listedAt: isoTime(change.listedAt) },
  };
  for (const [period, hours] of Object.entries({ '1h': 1, '24h': 24, '14d': 336 })) {
    const query = { from: String(now - hours * hour), to: String(now), limit: '50' };
    const { logs, truncated } = await scene.lab.as.admin.detection.log({ query });
    expect(await said({ period })).toEqual({
      ...{ period, count: logs.length, truncated },
      alerts: logs.map((row) => ({
        ...{ type: row.type, detectedAt: isoTime(row.detectedAt), src: row.src, srcMac: row.srcMac },
        ...{ srcVendor: row.srcVendor, dst: row.dst, host: row.dstHost, dport: row.dport, proto: row.proto },
        ...{ country: row.country, org: row.org, feed: row.threatSource, confidence: row.threatConfidence },
        ...{ detail: details[row.type] ?? null, state: row.alertState },
        retro: row.type === 'retro_match' ? shownRetro : null,
      })),
    });
  }
  const all = await said({ period: '24h' });
  expect(all.alerts).toMatchObject([
    { type: 'retro_match', state: 'open', feed: 'feed_c2', retro: { connections: 2 } },
    { type: 'threat', state: 'acknowledged', feed: 'feed_c2', confidence: 'high', detail: 'c2 server', dport: 8443 },
    { type: 'beacon', host: 'files.example.net', country: 'NL', detail: 'every 300 s, seen 12 times' },
    { type: 'new_device', src: '192.168.1.10', srcVendor: 'Acme', srcMac: '02:00:5e:10:00:01', detail: null },
  ]);
  expect(await said({ period: '24h', limit: 1 })).toMatchObject({ count: 1, truncated: true });
});
