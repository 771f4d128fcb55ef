// The sending of a running hub: when it looks, tries again, asks what is stored, and how it stops.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { SinkSettings } from '#hub/base/settings/sink.ts';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { startDelivery } from '#hub/record/sink/delivery.ts';
import type { Log } from '#kernel/process/log.ts';
import { noon } from '../../../support/connection-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { countConnections } from '../../../support/opened-sockets.ts';
import { afterNoon, startSinkLab } from '../../../support/sink-lab.ts';

interface Changes {
  settings?: Partial<SinkSettings>;
  /** The database that the closed hours are read from. */
  file?: string;
}

async function startScene({ settings: changed = {}, file }: Changes = {}) {
  await using opened = new AsyncDisposableStack();
  const { lab, server } = opened.use(await startSinkLab());
  await lab.log.record([{ at: noon }]);
  const lines: { level: string; fields: object; text: string | undefined }[] = [];
  const write = (level: string) => (fields: object | string, text?: string) =>
    void lines.push(typeof fields === 'string' ? { level, fields: {}, text: fields } : { level, fields, text });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } as Log;
  const manual = new ManualClock(afterNoon);
  // The manual clock really waits a second and less.
  const clock = {
    now: manual.now,
    monotonic: manual.monotonic,
    sleep: (ms: number, signal?: AbortSignal) => manual.sleep(ms > 0 ? Math.max(ms, 1001) : 0, signal),
  };
  const settings = { ...lab.settings, ...changed };
  const hours = createClosedHours(file ?? lab.log.db.file);
  const options = { clock, log, settings, store: lab.store, hours, columns: hourColumns, paceMs: 0 };
  const delivery = opened.use(startDelivery(options));
  await delivery.settled();
  const asked = (what: string) =>
    server.journal().filter((entry) => entry.kind === 'request' && String(entry.what).includes(what)).length;
  const held = opened.move();
  return {
    ...{ lab, server, lines, manual, delivery },
    inserts: () => asked('INSERT'),
    questions: () => asked('SELECT'),
    /** Until it rests again. */
    async pass(ms: number) {
      await manual.advance(ms);
      await delivery.settled();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const atRest = { lastError: null, lastCause: null, nextTryAt: null };

test('it looks after five seconds and then every five minutes, and asks every ten what is stored', async () => {
  await using scene = await startScene();
  const { manual, delivery, lab } = scene;
  expect(manual.nextAt).toBe(afterNoon + 5000);
  await scene.pass(4999);
  expect([scene.inserts(), scene.questions(), delivery.progress()]).toEqual([0, 0, { ...atRest, stored: null }]);
  await scene.pass(1);
  expect([scene.inserts(), scene.questions()]).toEqual([1, 1]);
  expect(delivery.progress()).toEqual({ ...atRest, stored: { rows: 1, bytes: 20 } });
  const questions: number[] = [];
  for (let look = 1; look <= 5; look += 1) {
    expect(manual.nextAt).toBe(manual.now() + limits.sinkLookMs);
    await lab.log.record([{ at: noon + look }], { now: manual.now() });
    await scene.pass(limits.sinkLookMs);
    expect(scene.inserts()).toBe(1 + look);
    questions.push(scene.questions());
  }
  expect(questions).toEqual([1, 2, 2, 3, 3]);
  expect(scene.lines).toEqual([]);
});

test('without a reader nothing is asked; a reader that may not see what is stored holds nothing up', async () => {
  await using alone = await startScene({ settings: { reader: null } });
  await alone.pass(5000);
  expect([alone.inserts(), alone.questions()]).toEqual([1, 0]);
  await using refused = await startScene();
  refused.server.fail('not-allowed', { command: 'SELECT' });
  await refused.pass(5000);
  expect([refused.inserts(), refused.questions(), refused.delivery.progress()]).toEqual([
    1,
    1,
    { ...atRest, stored: null },
  ]);
  refused.server.clearFaults();
  await refused.pass(2 * limits.sinkLookMs);
  expect(refused.delivery.progress().stored).toEqual({ rows: 1, bytes: 20 });
});

test('each failure doubles the wait up to ten minutes; meanwhile it looks, and the reason is told once', async () => {
  await using scene = await startScene();
  const { manual, delivery, server, lines } = scene;
  server.fail('unavailable', { command: 'INSERT' });
  await scene.pass(5000);
  for (let failures = 0; failures < 11; failures += 1) {
    const { lastError, nextTryAt } = delivery.progress();
    const waitMs = (nextTryAt ?? 0) - manual.now();
    const whole = Math.min(limits.sinkRetryMinMs * 2 ** failures, limits.sinkRetryMaxMs);
    expect(lastError).toMatch(/503/);
    expect(waitMs).toBeGreaterThanOrEqual(whole / 2);
    expect(waitMs).toBeLessThanOrEqual(whole);
    expect(scene.inserts()).toBe(failures + 1);
    expect((manual.nextAt ?? 0) - manual.now()).toBe(Math.max(1001, Math.min(waitMs, limits.sinkLookMs)));
    if (waitMs > limits.sinkLookMs) {
      await scene.pass(limits.sinkLookMs);
      expect(scene.inserts()).toBe(failures + 1);
    }
    await scene.pass((manual.nextAt ?? 0) - manual.now());
  }
  const sentence = expect.stringMatching(/^closed hours were not sent: .*503/);
  expect(lines).toEqual([{ level: 'warn', fields: { attempt: 1 }, text: sentence }]);
  server.clearFaults();
  server.fail('disk-full', { command: 'INSERT', times: 1 });
  while (delivery.progress().lastError !== null) {
    await scene.pass((manual.nextAt ?? 0) - manual.now());
  }
  expect(lines.slice(1)).toEqual([
    { level: 'warn', fields: { attempt: 13 }, text: expect.stringContaining('the disk of the server is full') },
    { level: 'info', fields: { attempts: 13 }, text: 'closed hours are sent again' },
  ]);
  expect(delivery.progress()).toMatchObject(atRest);
  // The next failure is a first one.
  await scene.lab.log.record([{ at: noon + 1 }], { now: manual.now() });
  server.fail('unavailable', { command: 'INSERT', times: 1 });
  await scene.pass(limits.sinkLookMs);
  expect((delivery.progress().nextTryAt ?? 0) - manual.now()).toBeLessThanOrEqual(limits.sinkRetryMinMs);
});

test('a try that a clock put back has moved far ahead is made at once', async () => {
  await using scene = await startScene();
  const { manual, server, delivery } = scene;
  server.fail('unavailable', { command: 'INSERT', times: 1 });
  await scene.pass(5000);
  const { nextTryAt } = delivery.progress();
  manual.put((nextTryAt ?? 0) - limits.sinkRetryMaxMs - 2001);
  await scene.pass((manual.nextAt ?? 0) - manual.now());
  expect(delivery.progress()).toMatchObject(atRest);
  expect(scene.inserts()).toBe(2);
});

test('a try that is as far ahead as the longest wait is waited for', async () => {
  await using scene = await startScene();
  const { manual, server, delivery } = scene;
  server.fail('unavailable', { command: 'INSERT', times: 1 });
  await scene.pass(5000);
  const untilAwake = (manual.nextAt ?? 0) - manual.now();
  manual.put((delivery.progress().nextTryAt ?? 0) - limits.sinkRetryMaxMs - untilAwake);
  await scene.pass(untilAwake);
  expect([scene.inserts(), (manual.nextAt ?? 0) - manual.now()]).toEqual([1, limits.sinkLookMs]);
});

test('a log that cannot be read is told, and tried again', async () => {
  await using scene = await startScene({ file: '/nowhere/monitor.db' });
  const { manual, delivery, lines } = scene;
  await scene.pass(5000);
  const { lastError, nextTryAt } = delivery.progress();
  expect(lastError).toMatch(/./);
  expect((nextTryAt ?? 0) - manual.now()).toBeLessThanOrEqual(limits.sinkRetryMinMs);
  const told = { level: 'error', fields: { err: expect.any(Error) }, text: 'the sink failed; it tries again' };
  const warned = { level: 'warn', fields: { attempt: 1 }, text: `closed hours were not sent: ${lastError}` };
  expect(lines).toEqual([told, warned]);
  await scene.pass((manual.nextAt ?? 0) - manual.now());
  expect(lines).toEqual([told, warned, told]);
  expect(scene.inserts()).toBe(0);
});

test('a client that cannot be made is told, tried again, and no stop hangs', async () => {
  await using scene = await startScene({ settings: { url: new URL('ftp://clickhouse.test') } });
  const { manual, delivery, lines } = scene;
  await scene.pass(5000);
  const { lastError, nextTryAt } = delivery.progress();
  expect(lastError).toContain('ftp');
  expect((nextTryAt ?? 0) - manual.now()).toBeLessThanOrEqual(limits.sinkRetryMinMs);
  const failed = { level: 'error', fields: { err: expect.any(Error) }, text: 'the sink failed; it tries again' };
  const warned = { level: 'warn', fields: { attempt: 1 }, text: `closed hours were not sent: ${lastError}` };
  expect(lines).toEqual([failed, warned]);
  await scene.pass((manual.nextAt ?? 0) - manual.now());
  expect(lines).toEqual([failed, warned, failed]);
});

test('no connection is left open, neither by the question for what is stored nor by a stop', async () => {
  await using scene = await startScene();
  const connections = await countConnections(async () => {
    await scene.pass(5000);
    await scene.delivery[Symbol.asyncDispose]();
  });
  expect(connections).toEqual({ opened: 2, left: 0 });
});

test('a stop in the middle of an insert is no failure', async () => {
  await using scene = await startScene();
  const { delivery, manual, server } = scene;
  server.fail('no-answer', { command: 'INSERT' });
  await manual.advance(5000);
  await expect.poll(() => scene.inserts()).toBe(1);
  await delivery[Symbol.asyncDispose]();
  expect(scene.lines).toEqual([]);
  expect(manual.sleeping).toBe(0);
  expect(delivery.progress()).toEqual({ ...atRest, stored: null });
});
