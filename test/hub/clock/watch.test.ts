// The watch over the clock: what it corrects when a clock that was ahead comes back, in one step or in several.
import path from 'node:path';
import { expect, test } from 'vitest';
import { startClockWatch } from '#hub/clock/watch.ts';
import { migrationsFolder } from '#hub/storage/product.ts';
import { times } from '#hub/times.ts';
import { yieldToEventLoop } from '#kernel/clock.ts';
import { createLog } from '#kernel/log.ts';
import { Db, migrate } from '#kernel/sqlite.ts';
import { createSteadyClock } from '#kernel/steady-clock.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The watch alone, with a table of each kind: a code is of the steady clock, an alert of the other one. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, migrationsFolder);
  const db = opened.adopt(new Db(file), (open) => open.close());
  const clock = new ManualClock();
  const steadyClock = createSteadyClock(clock);
  let corrections = 0;
  const onCorrected = () => {
    corrections += 1;
  };
  const watch = opened.use(
    startClockWatch({ db, clock, steadyClock, log: createLog('hub', 'silent'), times, onCorrected }),
  );
  /** A correction is two writes, one after the other. */
  const settle = async () => {
    for (let writes = 0; writes < 3; writes += 1) {
      await yieldToEventLoop();
      await db.settled();
    }
  };
  await eventually(
    async () => db.prepare('SELECT at FROM clock_look').get(),
    (look) => look,
  );
  const held = opened.move();
  return {
    db,
    clock,
    steadyClock,
    watch,
    corrections: () => corrections,
    async pass(minutes: number) {
      for (let passed = 0; passed < minutes; passed += 1) {
        await clock.advance(minuteMs);
        await settle();
      }
    },
    addRows: (name: string) =>
      db.write((writer) => {
        const made = steadyClock.now();
        writer
          .prepare('INSERT INTO agent_code (code_hash, created_at, expires_at) VALUES (?, ?, ?)')
          .run(name, made, made + 10 * minuteMs);
        writer.prepare("INSERT INTO chat_alert (key, created_at, content) VALUES (?, ?, '')").run(name, clock.now());
      }),
    /** Milliseconds until the code ends, by the steady clock, and how far the alert lies ahead of the clock. */
    of(name: string) {
      const end = db.prepare('SELECT expires_at FROM agent_code WHERE code_hash = ?').pluck().get(name);
      const made = db.prepare('SELECT created_at FROM chat_alert WHERE key = ?').pluck().get(name);
      return { left: Number(end) - steadyClock.now(), ahead: Number(made) - clock.now() };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('a clock that comes back in two steps is corrected twice', async () => {
  await using scene = await startScene();
  const { clock } = scene;
  const right = clock.now();
  clock.put(right + 30 * dayMs);
  await scene.pass(2);
  await scene.addRows('a');
  await scene.pass(1);
  clock.put(right + 20 * dayMs);
  await scene.pass(2);
  expect(scene.of('a')).toEqual({ left: 7 * minuteMs, ahead: 0 });
  clock.put(right + 5 * minuteMs);
  await scene.pass(2);
  expect(scene.of('a')).toEqual({ left: 5 * minuteMs, ahead: 0 });
  expect(scene.corrections()).toBe(2);
  expect(scene.watch.warning()).toBeNull();
  expect(scene.steadyClock.aheadMs()).toBe(0);
});

test('what was stored before the clock was ahead stays bit for bit', async () => {
  await using scene = await startScene();
  const { clock, db } = scene;
  await scene.addRows('before');
  const rows = () => ['agent_code', 'chat_alert'].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
  const before = rows();
  clock.put(clock.now() + 2 * dayMs);
  await scene.pass(2);
  clock.put(clock.now() - 2 * dayMs);
  await scene.pass(2);
  expect(scene.corrections()).toBe(1);
  expect(rows()).toEqual(before);
});

test('a small step back shortens what is under way, and the steady clock shows the time of the clock again', async () => {
  await using scene = await startScene();
  await scene.addRows('a');
  scene.clock.put(scene.clock.now() - 4 * minuteMs);
  expect(scene.of('a').left).toBe(10 * minuteMs);
  await scene.pass(1);
  expect(scene.of('a').left).toBe(9 * minuteMs);
  expect(scene.steadyClock.aheadMs()).toBe(0);
  expect(scene.corrections()).toBe(0);
});

test('a correction that cannot be written leaves the steady clock where it was', async () => {
  await using scene = await startScene();
  const { clock, db } = scene;
  clock.put(clock.now() + 2 * dayMs);
  await scene.pass(1);
  await scene.addRows('a');
  await db.write((writer) => {
    writer
      .prepare("CREATE TRIGGER refusal BEFORE UPDATE ON agent_code BEGIN SELECT RAISE(ABORT, 'refused'); END")
      .run();
  });
  clock.put(clock.now() - 2 * dayMs + hourMs);
  await scene.pass(3);
  expect(scene.of('a').left).toBe(7 * minuteMs);
  expect(scene.steadyClock.aheadMs()).toBe(2 * dayMs - hourMs);
  await db.write((writer) => void writer.prepare('DROP TRIGGER refusal').run());
  await scene.pass(1);
  expect(scene.of('a')).toEqual({ left: 6 * minuteMs, ahead: expect.any(Number) });
  expect(scene.steadyClock.aheadMs()).toBe(0);
});

test('a clock that was ahead between two looks ends nothing that was made before, and shortens what was made meanwhile', async () => {
  await using scene = await startScene();
  const { clock } = scene;
  await scene.pass(1);
  await scene.addRows('before');
  const right = clock.now();
  clock.put(right + 30 * dayMs);
  await scene.addRows('meanwhile');
  expect(scene.of('before').left).toBeLessThan(0);
  clock.put(right);
  await scene.pass(1);
  expect(scene.of('before').left).toBe(9 * minuteMs);
  expect(scene.of('meanwhile').left).toBe(9 * minuteMs);
  expect(scene.steadyClock.now()).toBe(clock.now());
});
