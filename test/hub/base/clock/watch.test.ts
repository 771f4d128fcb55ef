// The watch over the clock: what it corrects when a clock that was ahead comes back, in one step or in several.
import path from 'node:path';
import { expect, test } from 'vitest';
import { clampFutureTimes, shiftSteadyTimes } from '#hub/base/clock/clamp.ts';
import type { ClockCorrections } from '#hub/base/clock/times.ts';
import { startClockWatch } from '#hub/base/clock/watch.ts';
import { times } from '#hub/start/times.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { isoTime, yieldToEventLoop } from '#kernel/time/clock.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { writeNewDatabase } from '../../../support/new-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** The watch alone, with a table of each kind: a code is of the steady clock, an alert of the other one. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const db = opened.adopt(new Db(file), (open) => open.close());
  const clock = new ManualClock();
  const steadyClock = createSteadyClock(clock);
  let corrections = 0;
  const onCorrected = () => {
    corrections += 1;
  };
  const { log, lines } = collectLog('warn');
  const watch = opened.use(startClockWatch({ db, clock, steadyClock, log, times, onCorrected }));
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
    /** What was logged since this was asked last. */
    said: () => lines.splice(0).map(({ msg }) => msg),
    /** From when to when the clock passed over the time between. */
    gaps: () => db.prepare('SELECT from_at, to_at FROM clock_gap ORDER BY rowid').raw().all() as number[][],
    looked: () => db.prepare('SELECT at, steady_at FROM clock_look').raw().get() as number[],
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
        writer
          .prepare("INSERT INTO outbox_event (destination, key, created_at, content) VALUES ('chat', ?, ?, '')")
          .run(name, clock.now());
      }),
    /** Milliseconds until the code ends, by the steady clock, and how far the alert lies ahead of the clock. */
    of(name: string) {
      const end = db.prepare('SELECT expires_at FROM agent_code WHERE code_hash = ?').pluck().get(name);
      const made = db.prepare('SELECT created_at FROM outbox_event WHERE key = ?').pluck().get(name);
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
  const rows = () => ['agent_code', 'outbox_event'].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
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

const tolerance = 5 * minuteMs;

/** Lets the next look, in a minute, find `at`. */
async function lookAt({ clock, pass }: Awaited<ReturnType<typeof startScene>>, at: number): Promise<void> {
  clock.put(at - minuteMs);
  await pass(1);
}

test('more than five minutes forward are a gap, the first look of all has one of a year, and 32 are kept', async () => {
  await using scene = await startScene();
  const first = scene.clock.now();
  expect(scene.gaps()).toEqual([[first - 366 * dayMs, first]]);
  await lookAt(scene, first + tolerance);
  expect(scene.gaps()).toHaveLength(1);
  await lookAt(scene, first + 2 * tolerance + 1);
  expect(scene.gaps().slice(1)).toEqual([[first + tolerance, first + 2 * tolerance + 1]]);
  const ends = Array.from({ length: 33 }, (_, at) => first + (at + 1) * dayMs);
  for (const end of ends) {
    await lookAt(scene, end);
  }
  expect(scene.gaps().map(([, to]) => to)).toEqual(ends.slice(1));
  expect(scene.said()).toEqual([]);
  const now = scene.clock.now();
  expect(scene.looked()).toEqual([now, now]);
});

test('five minutes back are nothing; more is said once, until the clock has caught up, and nothing is corrected', async () => {
  await using scene = await startScene();
  const start = scene.clock.now();
  await lookAt(scene, start + dayMs);
  // Believed for more than two weeks: the earlier time is the wrong one.
  const last = start + 16 * dayMs;
  for (let at = start + dayMs + tolerance; at < last; at += tolerance) {
    scene.clock.put(at - minuteMs);
    await scene.pass(1);
  }
  await lookAt(scene, last);
  await lookAt(scene, last - tolerance);
  expect([scene.watch.warning(), scene.said()]).toEqual([null, []]);
  expect(scene.looked()[0]).toBe(last);
  const behind = last - tolerance - 1;
  await lookAt(scene, behind);
  const sentence = (at: number) =>
    `the clock shows ${isoTime(at)}, earlier than before (${isoTime(last)}): set it if it is wrong; what was recorded stays as it is until the clock has caught up`;
  expect([scene.watch.warning()?.sentence, scene.said()]).toEqual([sentence(behind), [sentence(behind)]]);
  await lookAt(scene, start);
  await scene.pass(2);
  expect([scene.watch.warning()?.sentence, scene.said()]).toEqual([sentence(start + 2 * minuteMs), []]);
  expect(scene.looked()).toEqual([last, scene.steadyClock.now()]);
  await lookAt(scene, last);
  expect([scene.watch.warning(), scene.said(), scene.corrections()]).toEqual([null, [], 0]);
});

test.each([
  ['exactly two weeks after the jump', 14 * dayMs, true],
  ['a millisecond later', 14 * dayMs + 1, false],
])('a clock that ran on for %s is or is not believed', async (_, ranOnMs, wasAhead) => {
  await using scene = await startScene();
  const start = scene.clock.now();
  await lookAt(scene, start + 30 * dayMs);
  const end = start + 30 * dayMs + ranOnMs;
  await scene.db.write((writer) => void writer.prepare('UPDATE clock_look SET at = ?').run(end));
  await lookAt(scene, start + hourMs);
  expect(scene.said()[0]).toContain(wasAhead ? 'was ahead until now' : 'set it if it is wrong');
});

test('what was ahead is brought back at the second look that finds it so, and the rows are counted', async () => {
  await using scene = await startScene();
  const { clock, db } = scene;
  const start = clock.now();
  const last = start + 30 * dayMs;
  await lookAt(scene, last);
  await scene.addRows('a');
  await scene.addRows('b');
  const back = start + hourMs;
  await lookAt(scene, back);
  expect(scene.looked()).toEqual([last, scene.steadyClock.now()]);
  const warned = (at: number) =>
    `the clock shows ${isoTime(at)}, earlier than before (${isoTime(last)}), and was ahead until now: what was recorded with later times is brought back in a minute`;
  expect(scene.said()).toEqual([warned(back)]);
  // Further back: it waits for a second look there.
  const further = back - tolerance - 1;
  await lookAt(scene, further);
  expect([scene.corrections(), scene.watch.warning()?.sentence]).toEqual([0, warned(further)]);
  await lookAt(scene, further - tolerance);
  const right = clock.now();
  expect(scene.said()).toEqual([
    'the clock was ahead and is right again: 4 rows with later times were brought back to now',
  ]);
  expect([scene.corrections(), scene.watch.warning(), scene.steadyClock.aheadMs()]).toEqual([1, null, 0]);
  expect(scene.looked()).toEqual([right, right]);
  expect(scene.gaps()).toEqual([
    [start - 366 * dayMs, start],
    [start, right],
  ]);
  expect(db.prepare('SELECT max(created_at) FROM outbox_event').pluck().get()).toBe(right);
});

test.each([
  ['begins five minutes before the right time stays, up to it', tolerance, 3],
  ['begins later than that is none any more', tolerance - 1, 2],
])('a gap that %s', async (_, afterMs, gaps) => {
  await using scene = await startScene();
  const begins = scene.clock.now() + dayMs;
  await lookAt(scene, begins);
  await lookAt(scene, begins + dayMs);
  await lookAt(scene, begins + afterMs - minuteMs);
  await scene.pass(1);
  expect(scene.corrections()).toBe(1);
  expect(scene.gaps().slice(2)).toEqual([[begins, begins + afterMs]].slice(0, gaps - 2));
});

test('rows are brought back in steps of 500, by their key where they have no number, and equal ones become one', async () => {
  await using scene = await startScene();
  const now = 1_000_000;
  const own: ClockCorrections[] = [
    {
      tables: [
        { table: 'loose', timestamps: ['at'], deadlines: { ends: 'at', other: 'began' } },
        { table: 'keyed', timestamps: ['at'] },
        { table: 'steady', isSteady: true, timestamps: ['at'], deadlines: { ends: 'began' } },
      ],
      clamps: [
        function* (writer) {
          yield;
          return writer.prepare('UPDATE loose SET note = 1 WHERE at = ?').run(now).changes;
        },
      ],
    },
  ];
  await scene.db.write((writer) => {
    const run = (sql: string, ...values: unknown[]) => writer.prepare(sql).run(...values);
    run('CREATE TABLE loose (at INTEGER, ends INTEGER, began INTEGER, other INTEGER, note INTEGER)');
    run('CREATE TABLE keyed (name TEXT, at INTEGER, value INTEGER, PRIMARY KEY (name, at)) WITHOUT ROWID');
    run('CREATE TABLE steady (at INTEGER, ends INTEGER, began INTEGER)');
    for (let row = 0; row < 1_000; row += 1) {
      run('INSERT INTO loose VALUES (?, ?, ?, ?, 0)', now + 1 + row, now + 100 + row, null, 7);
    }
    run('INSERT INTO loose VALUES (?, ?, ?, ?, 0)', now, now + 50, now + 20, now + 90);
    run('INSERT INTO loose VALUES (?, ?, ?, ?, 0)', now - 1, now + 50, now - 20, now + 90);
    run('INSERT INTO keyed VALUES (?, ?, 1), (?, ?, 2), (?, ?, 3)', 'a', now + 5, 'a', now + 9, 'b', now - 5);
    run('INSERT INTO steady VALUES (?, ?, ?), (?, ?, ?)', now + 9, now + 60, now, now, now + 60, now + 1);
  });
  const done = await scene.db.write((writer) => {
    const steps = clampFutureTimes(writer, own, now);
    for (let count = 0; ; count += 1) {
      const { done: isOver, value } = steps.next();
      if (isOver) {
        return { count, rows: value };
      }
    }
  });
  // A step for each table and each custom one, and two of 500 rows.
  expect(done).toEqual({ count: 5, rows: 1_001 + 2 + 1_001 });
  const all = (sql: string) => scene.db.prepare(sql).raw().all();
  expect(all('SELECT DISTINCT at, ends - at, began, other, note FROM loose ORDER BY rowid')).toEqual([
    [now, 99, null, 7, 1],
    [now, 50, now + 20, now + 70, 1],
    [now - 1, 51, now - 20, now + 90, 0],
  ]);
  expect(all('SELECT * FROM keyed ORDER BY name')).toEqual([
    ['a', now, 2],
    ['b', now - 5, 3],
  ]);
  const shifted = await scene.db.write((writer) => shiftSteadyTimes(writer, own, { by: 4, after: now }));
  expect(shifted).toBe(2);
  expect(all('SELECT * FROM steady ORDER BY rowid')).toEqual([
    [now + 5, now + 60, now],
    [now, now + 56, now + 1],
  ]);
});
