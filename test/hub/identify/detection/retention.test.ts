// What the detection log forgets, and when: on a real database, to the millisecond.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { startDetectionRetention } from '#hub/identify/detection/retention-job.ts';
import { openConnectionLog } from '../../../support/connection-log.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const day = 86_400_000;
const days = 3;

async function openScene(old: number) {
  const log = openConnectionLog();
  const clock = new ManualClock();
  const runsAt = clock.now() + limits.retentionFirstMs;
  await log.db.write((writer) => {
    const detection = writer.prepare("INSERT INTO detection (type, src, detected_at) VALUES ('new_device', 'a', ?)");
    const told = writer.prepare("INSERT INTO detection_told (type, device, dst, at) VALUES ('threat', 'a', ?, ?)");
    for (let index = 0; index < old; index += 1) {
      detection.run(runsAt - days * day - 1 - index);
    }
    detection.run(runsAt - days * day);
    told.run('gone', runsAt - limits.detectionToldMs - 1);
    told.run('kept', runsAt - limits.detectionToldMs);
    const rule = writer.prepare(
      "INSERT INTO alert_rule (effect, scope, created_at, until, ended_at) VALUES ('mute', 'alert', 1, ?, ?)",
    );
    const past = runsAt - days * day - 1;
    for (const [until, endedAt] of [
      [null, past],
      [past, null],
      [null, null],
      [null, past + 1],
      [past + 1, null],
    ]) {
      rule.run(until, endedAt);
    }
  });
  const pruned: number[] = [];
  const { log: errors, lines } = collectLog('error');
  const hooks = { onAsked: () => {} };
  const job = startDetectionRetention({
    db: log.db,
    clock,
    log: errors,
    keptSince: () => {
      hooks.onAsked();
      return clock.now() - days * day;
    },
    pruneOutbox: async (before) => void pruned.push(before),
  });
  return {
    ...{ log, clock, job, pruned, lines, runsAt, hooks },
    left: () => log.db.prepare('SELECT detected_at FROM detection ORDER BY detected_at').pluck().all(),
    rules: () => log.db.prepare('SELECT id FROM alert_rule ORDER BY id').pluck().all(),
    told: () => log.db.prepare('SELECT dst FROM detection_told').pluck().all(),
    async [Symbol.asyncDispose]() {
      await job[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

test('rows older than the days to keep go, however many; what was told goes after its own time', async () => {
  await using scene = await openScene(2500);
  await scene.clock.advance(limits.retentionFirstMs);
  await expect.poll(() => scene.pruned).toEqual([scene.runsAt - limits.chatRecordMs]);
  expect(scene.left()).toEqual([scene.runsAt - days * day]);
  expect(scene.told()).toEqual(['kept']);
  expect(scene.rules()).toEqual([3, 4, 5]);
  await scene.clock.advance(limits.retentionEveryMs);
  await expect.poll(() => scene.pruned).toHaveLength(2);
  expect(scene.left()).toEqual([]);
  expect(scene.told()).toEqual([]);
  expect(scene.lines).toEqual([]);
});

test('a hub that stops does not wait until all of them are gone', async () => {
  await using scene = await openScene(5000);
  const stopped = Promise.withResolvers<void>();
  scene.hooks.onAsked = () => stopped.resolve(scene.job[Symbol.asyncDispose]());
  await scene.clock.advance(limits.retentionFirstMs);
  await stopped.promise;
  expect(scene.left()).toHaveLength(4001);
});
