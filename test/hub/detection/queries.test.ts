// The query of the detection log on a real database: its bounds, its pages, and whose detections belong to a source.
import { expect, test } from 'vitest';
import { type Detected, insertDetection, labelsOf } from '#hub/detection/detection-log.ts';
import { type DetectionPageParams, detectionQueries } from '#hub/detection/queries.ts';
import { ReadConnection } from '#kernel/sqlite.ts';
import { noon, openConnectionLog, seen } from '../../support/connection-log.ts';

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
      insertDetection(writer, one, labelsOf(writer, one), null);
    }
  });
  const reader = new ReadConnection(log.db.file, 1024);
  return {
    page: (query: DetectionPageParams['query'], limit = 100) =>
      detectionQueries.detections(reader, { query, limit, now: noon + 9 }),
    async [Symbol.asyncDispose]() {
      reader.close();
      await log[Symbol.asyncDispose]();
    },
  };
}

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
