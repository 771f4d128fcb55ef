// The query of the detection log on a real database: its bounds, its pages, and whose detections belong to a source.
import { expect, test } from 'vitest';
import type { DetectionLevel } from '#contract/detection.ts';
import type { Threat } from '#contract/model.ts';
import { type Detected, insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import { type DetectionPageParams, detectionQueries } from '#hub/identify/detection/queries.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { noon, openConnectionLog, seen } from '../../../support/connection-log.ts';

const [ours, theirs] = ['192.168.1.2', '192.168.1.3'];
const dst = '203.0.113.80';
const detections: Detected[] = [
  { type: 'threat', at: noon, src: ours, dst, dport: 443, proto: 'TCP' },
  { type: 'beacon', at: noon + 1, src: ours, dst, dport: 80, proto: 'TCP' },
  { type: 'beacon', at: noon + 1, src: ours, dst, dport: 443, proto: 'UDP' },
  { type: 'new_device', at: noon + 1, src: ours },
  { type: 'threat', at: noon + 2, src: theirs, dst, dport: 443, proto: 'TCP' },
  { type: 'new_device', at: noon + 3, src: theirs },
];

/** Ours is observed by the router alone, theirs by the Agent alone. */
async function openQueries() {
  const log = openConnectionLog();
  const flow = { dst, dport: 443, proto: 'TCP' };
  await log.record([seen({ ...flow, src: ours }), seen({ ...flow, src: ours, proto: 'UDP' })], { routerId: 'one' });
  await log.record([seen({ ...flow, src: theirs })], { routerId: 'agent-7', kind: 'agent' });
  await log.db.write((writer) => {
    for (const one of detections) {
      insertDetection(writer, one, readLabels(writer, one), null);
    }
  });
  const reader = new ReadConnection(log.db.file, 1024);
  return {
    detect: (one: Detected) =>
      log.db.write((writer) => void insertDetection(writer, one, readLabels(writer, one), null)),
    page: (query: DetectionPageParams['query'], limit = 100) =>
      detectionQueries.detections(reader, { query, limit, now: noon + 9 }),
    async [Symbol.asyncDispose]() {
      reader.close();
      await log[Symbol.asyncDispose]();
    },
  };
}

const listed = (confidence: Threat['confidence']): Threat => ({
  ...{ level: confidence === 'high' ? 'danger' : 'warn', confidence, source: 'feed_c2', tag: null },
  ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
});

const card = (mac: string) => ({ mac, vendor: null, dnsName: null, mdnsName: null });

const rows: [query: DetectionPageParams['query'], ids: number[]][] = [
  [{}, [6, 5, 4, 3, 2, 1]],
  [{ from: noon + 1 }, [6, 5, 4, 3, 2]],
  [{ to: noon + 1 }, [4, 3, 2, 1]],
  [{ from: noon + 1, to: noon + 2, type: 'beacon' }, [3, 2]],
  [{ type: 'new_device' }, [6, 4]],
  [{ before: `${noon + 1}.3` }, [2, 1]],
  [{ before: `${noon + 1}.3`, type: 'threat' }, [1]],
  [{ sourceKind: 'router', sourceId: 'one' }, [4, 3, 1]],
  [{ sourceKind: 'agent', sourceId: 'agent-7' }, [6, 5]],
  [{ sourceKind: 'agent', sourceId: 'one' }, []],
  [{ sourceKind: 'router', sourceId: 'agent-7' }, []],
];

test('a level is that of the list for listed destinations; all kinds together are the log', async () => {
  await using log = await openQueries();
  await log.detect({ type: 'threat', at: noon + 4, src: ours, dst, threat: listed('high') });
  await log.detect({ type: 'beacon', at: noon + 5, src: ours, dst, threat: listed('low') });
  const ofLevel = (level: DetectionLevel) => log.page({ level }).logs.map(({ id }) => id);
  expect(ofLevel('danger')).toEqual([7]);
  expect(ofLevel('info')).toEqual([6, 4]);
  expect(ofLevel('warn')).toEqual([8, 5, 3, 2, 1]);
});

test('a device: by its MAC addresses, by its addresses only where no MAC address is known', async () => {
  await using log = await openQueries();
  const [mac, other] = ['02:00:00:00:00:ab', '02:00:00:00:00:cd'];
  await log.detect({ type: 'new_device', at: noon + 4, src: ours, device: card(mac) });
  await log.detect({ type: 'new_device', at: noon + 5, src: ours, device: card(other) });
  const of = (query: DetectionPageParams['query']) => log.page(query).logs.map(({ id }) => id);
  expect(of({ src: [ours] })).toEqual([8, 7, 4, 3, 2, 1]);
  expect(of({ src: [ours, theirs] })).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(of({ srcMac: [mac.toUpperCase()] })).toEqual([7]);
  expect(of({ srcMac: [mac, other] })).toEqual([8, 7]);
  expect(of({ src: [ours], srcMac: [mac] })).toEqual([7, 4, 3, 2, 1]);
  expect(of({ src: [theirs], srcMac: [mac], type: 'new_device' })).toEqual([7, 6]);
});

test('bounds, kinds and sources, alone and together', async () => {
  await using log = await openQueries();
  for (const [query, ids] of rows) {
    const { logs, ...rest } = log.page(query);
    const shown = logs.map(({ id }) => id);
    expect(shown, JSON.stringify(query)).toEqual(ids);
    expect(rest).toEqual({ truncated: false, next: null, serverTime: noon + 9 });
  }
});

test('a page that is not the last names its last row, and the next goes on behind it', async () => {
  await using log = await openQueries();
  const first = log.page({}, 3);
  expect(first.logs.map(({ id }) => id)).toEqual([6, 5, 4]);
  expect(first).toMatchObject({ truncated: true, next: `${noon + 1}.4` });
  const last = log.page({ before: first.next ?? '' }, 3);
  expect(last.logs.map(({ id }) => id)).toEqual([3, 2, 1]);
  expect([last.truncated, last.next]).toEqual([false, null]);
});
