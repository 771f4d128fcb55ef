// Scheduled analyses over HTTP in virtual time: made once, paid once, delivered once, whatever fails in between.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { daily, hour, minute, type NotificationLab, startNotificationLab } from '../support/notification-lab.ts';
import { verifies } from '../support/verifies.ts';

const day = 24 * hour;
const statuses = async (lab: NotificationLab) => (await lab.events()).map(({ status }) => status).reverse();

test('it is made at its time, shown, sent to the chat workspace, and not made again on that day', async () => {
  await using lab = await startNotificationLab();
  const { nextRunAt, automationReady, message } = await lab.set(daily);
  const dueAt = lab.clock.now() + 10 * minute;
  expect({ nextRunAt, automationReady, message }).toEqual({ nextRunAt: dueAt, automationReady: true, message: null });
  await lab.later(9 * minute);
  expect([lab.asked(), await lab.events()]).toEqual([0, []]);
  await lab.later(minute);
  const [event, ...others] = await lab.events();
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ triggerType: 'scheduled', triggerKey: 'scheduled:daily:2026-03-01:03:10', cause: 'daily' },
    ...{ createdAt: dueAt, rangeFrom: dueAt - day, rangeTo: dueAt, status: 'complete', errorCode: null },
    ...{ provider: 'local', model: 'qwen3:8b', chatSent: 1 },
  });
  expect(event?.body).not.toBe('');
  expect(event?.totalTokens).toBeGreaterThan(0);
  expect(lab.delivered()).toEqual([expect.stringContaining('Scheduled analysis')]);
  for (const ms of [minute, hour, hour]) {
    await lab.later(ms);
  }
  await lab.restart();
  await lab.later(hour);
  expect([lab.asked(), lab.delivered().length, (await lab.events()).length]).toEqual([1, 1, 1]);
  expect((await lab.status()).nextRunAt).toBe(dueAt + day);
  await lab.later(day);
  expect([lab.asked(), (await lab.events())[0]?.triggerKey]).toEqual([2, 'scheduled:daily:2026-03-02:03:10']);
});

test('a failed one is tried again after 5, 15 and 45 minutes, and then no more before the next day', async () => {
  await using lab = await startNotificationLab();
  lab.ai.fail('server-error');
  await lab.set(daily);
  const tries = async (ms: number) => {
    await lab.later(ms);
    return lab.asked();
  };
  expect(await tries(10 * minute)).toBe(1);
  expect((await lab.events())[0]).toMatchObject({
    ...{ triggerKey: 'scheduled:daily:2026-03-01:03:10#1', status: 'failed', body: null, errorCode: 'ai_failed' },
    ...{ provider: 'local', chatSent: 0, totalTokens: 0, estimatedCostUsd: null },
  });
  expect(await tries(4 * minute)).toBe(1);
  expect((await lab.status()).nextRunAt).toBe(lab.clock.now() + minute);
  expect(await tries(minute)).toBe(2);
  expect(await tries(14 * minute)).toBe(2);
  await lab.restart();
  expect(await tries(minute)).toBe(3);
  expect(await tries(44 * minute)).toBe(3);
  expect(await tries(minute)).toBe(4);
  for (let hours = 0; hours < 20; hours += 1) {
    expect(await tries(hour)).toBe(4);
  }
  expect(await statuses(lab)).toEqual(['failed', 'failed', 'failed', 'failed']);
  expect(lab.delivered()).toEqual([]);
  lab.ai.clearFaults();
  expect(await tries(4 * hour)).toBe(5);
  expect((await lab.events())[0]).toMatchObject({ status: 'complete', triggerKey: 'scheduled:daily:2026-03-02:03:10' });
});

describe('delivery', () => {
  verifies(
    'rest.ai-notifications.append-only',
    'what the chat workspace does not take is paid once and delivered once, also across a restart',
    async () => {
      await using lab = await startNotificationLab();
      lab.chat.fail('server-error');
      await lab.set(daily);
      await lab.later(10 * minute);
      const [before] = await lab.events();
      expect([lab.asked(), before?.status, before?.chatSent, lab.delivered()]).toEqual([1, 'complete', 0, []]);
      for (let looks = 0; looks < 4; looks += 1) {
        await lab.later(10 * minute);
      }
      await lab.restart();
      await lab.later(10 * minute);
      expect([lab.asked(), lab.delivered(), (await lab.events()).length]).toEqual([1, [], 1]);
      lab.chat.clearFaults();
      await lab.later(20 * minute);
      const [after] = await lab.events();
      expect([lab.asked(), lab.delivered().length]).toEqual([1, 1]);
      expect(after).toEqual({ ...before, chatSent: 1 });
      const db = new Db(path.join(lab.dataDir, 'monitor.db'));
      for (const change of ['UPDATE ai_event SET body = NULL', 'DELETE FROM ai_event', 'DELETE FROM ai_attempt']) {
        await expect(db.write((writer) => writer.prepare(change).run())).rejects.toThrow(/never/);
      }
      await db.close();
    },
  );

  test('its message has the text, also when so many alerts wait that others are said in one line each', async () => {
    await using lab = await startNotificationLab();
    await lab.set({});
    lab.chat.fail('server-error');
    const all = Array.from({ length: 8 }, (_, index) => `203.0.113.${index + 10}`);
    all.forEach((dst) => void lab.contact(dst));
    await lab.poll();
    await lab.list(all[0] ?? '');
    await lab.poll();
    const { event } = await lab.as.admin.ai.notificationRunNow({ body: {} });
    for (const dst of all) {
      await lab.list(dst);
    }
    await lab.poll();
    lab.chat.clearFaults();
    for (let looks = 0; looks < 5; looks += 1) {
      await lab.later(10 * minute);
    }
    expect(lab.told()).toEqual([
      expect.stringContaining('Known-bad destination'),
      expect.stringContaining('Written by'),
      expect.stringMatching(/^\*7 detections\*/),
    ]);
    expect(lab.delivered()[0]).toContain(event.body?.slice(0, 20).replaceAll('.', '[.]'));
  });

  test('without the web UI the text is in the message alone, without chat in the event alone', async () => {
    await using lab = await startNotificationLab();
    await lab.set({ ...daily, destinations: { ui: false, chat: true } });
    await lab.later(10 * minute);
    expect((await lab.events())[0]).toMatchObject({ status: 'complete', body: null, citations: [], chatSent: 1 });
    expect(lab.delivered()).toHaveLength(1);
    await lab.set({ ...daily, destinations: { ui: true, chat: false } });
    await lab.later(day);
    expect((await lab.events())[0]).toMatchObject({
      status: 'complete',
      body: expect.stringMatching(/./),
      chatSent: 0,
    });
    expect(lab.delivered()).toHaveLength(1);
  });

  test('nothing is made for a chat workspace that cannot receive it; what is made is shown when it is switched off meanwhile', async () => {
    await using lab = await startNotificationLab();
    await lab.set({ ...daily, destinations: { ui: false, chat: true } });
    await lab.as.admin.chat.saveConfig({ body: { enabled: false } });
    await lab.later(10 * minute);
    expect([lab.asked(), await lab.events()]).toEqual([0, []]);
    expect((await lab.status()).message).toMatch(/chat workspace cannot receive/);
    await lab.as.admin.chat.saveConfig({ body: { enabled: true } });
    lab.ai.fail('hold');
    await lab.clock.advance(30_000);
    await lab.ai.held();
    expect((await lab.status()).running).toBe(true);
    await lab.as.admin.chat.saveConfig({ body: { enabled: false } });
    lab.ai.clearFaults();
    await lab.settled();
    expect((await lab.events())[0]).toMatchObject({
      status: 'complete',
      body: expect.stringMatching(/./),
      chatSent: 0,
    });
  });
});

describe('what was missed', () => {
  test('is made once when the hub comes up on the same local day', async () => {
    await using lab = await startNotificationLab();
    await lab.set({ ...daily, timezone: 'America/New_York', time: '23:00' });
    await lab.stop();
    // 23:59 of the day before in New York, and a minute into the next day.
    lab.clock.jump(Date.UTC(2026, 2, 2, 4, 58));
    await lab.restart();
    await lab.later(minute);
    expect([lab.asked(), (await lab.events())[0]?.triggerKey]).toEqual([1, 'scheduled:daily:2026-03-01:23:00']);
    await lab.later(minute);
    expect(lab.asked()).toBe(1);
  });
});

test('a try that a stop of the hub ended counts as one that failed', async () => {
  await using lab = await startNotificationLab();
  await lab.set(daily);
  lab.ai.fail('hold');
  await lab.clock.advance(10 * minute);
  await lab.ai.held();
  await lab.restart();
  lab.ai.clearFaults();
  expect((await lab.events()).length).toBe(0);
  await lab.later(4 * minute);
  expect(lab.asked()).toBe(1);
  await lab.later(minute);
  expect([lab.asked(), await statuses(lab)]).toEqual([2, ['complete']]);
});

test('while another answer is being made, it waits, and that is no failed try', async () => {
  await using lab = await startNotificationLab();
  await lab.set(daily);
  lab.ai.fail('hold');
  const running = lab.as.admin.ai.notificationRunNow({ body: {} });
  await lab.ai.held();
  // Less than the 30 s that an answer may take.
  lab.clock.put(lab.clock.now() + 10 * minute - 25_000);
  await lab.later(25_000);
  expect([lab.asked(), await lab.events()]).toEqual([1, []]);
  lab.ai.clearFaults();
  await running;
  await lab.later(minute);
  expect([lab.asked(), await statuses(lab)]).toEqual([2, ['complete', 'complete']]);
});
