// Which changed connections are published, how many at once, and that threats are raised before.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createAnnouncer } from '#hub/record/connections/announce.ts';
import type { RejudgeReport } from '#hub/record/connections/upkeep/rejudge.ts';
import { noon, openConnectionLog, seen } from '../../../support/connection-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

async function startScene(raise: () => Promise<void> = async () => undefined) {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const told: unknown[] = [];
  const announcer = createAnnouncer({
    ...{ db: log.db, clock: new ManualClock(noon) },
    live: {
      publish: (event: string, { connections, ...rest }: { connections: { dport: number }[] }) => {
        told.push([event, connections.length, rest]);
      },
    } as unknown as Parameters<typeof createAnnouncer>[0]['live'],
    detection: {
      threats: async (threats) => {
        told.push(['threats', threats.length]);
        await raise();
      },
    },
  });
  await log.record(Array.from({ length: 501 }, (_, dport) => ({ dport })));
  const held = opened.move();
  return { told, announcer, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const published = (count: number, truncated: boolean) => [
  ...['connections-update', count],
  { serverTime: noon, partial: true, truncated },
];

test('up to 500 changed connections are published, more are said to be cut, none is nothing', async () => {
  await using scene = await startScene();
  const { announcer, told } = scene;
  for (const [ports, expected] of [
    [[], []],
    [[600], []],
    [[1], [published(1, false)]],
    [[1, 600], [published(1, true)]],
    [Array.from({ length: limits.liveConnections }, (_, port) => port), [published(500, false)]],
    [Array.from({ length: 501 }, (_, port) => port), [published(500, true)]],
  ] as const) {
    told.length = 0;
    const changed = announcer.collect();
    for (const dport of ports) {
      changed.note(seen({ dport }));
    }
    expect(changed.count()).toBe(ports.length);
    await announcer.publish(changed);
    expect(told).toEqual(expected);
  }
});

const rejudged = (count: number, ports: readonly number[]) =>
  ({ threats: { count, first: ports.map((dport) => seen({ dport })) } }) as unknown as RejudgeReport;

test('new threats are raised, then published; what cannot be raised is not published', async () => {
  await using scene = await startScene();
  await scene.announcer.rejudged(rejudged(2, [1, 2]));
  await scene.announcer.rejudged(rejudged(3, [1, 2]));
  expect(scene.told).toEqual([['threats', 2], published(2, false), ['threats', 2], published(2, true)]);
  await using refused = await startScene(async () => {
    throw new Error('no room');
  });
  await expect(refused.announcer.rejudged(rejudged(1, [1]))).rejects.toThrow('no room');
  expect(refused.told).toEqual([['threats', 1]]);
});
