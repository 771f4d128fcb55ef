// Analyses after threats over HTTP: what calls for one, for how long it does not again, and the limit of a day.
import { expect, test } from 'vitest';
import { hour, minute, type NotificationLab, rules, startNotificationLab } from '../support/notification-lab.ts';

const dst = (index: number) => `203.0.113.${index + 10}`;

/** New connections that are listed at once. */
async function threats(lab: NotificationLab, first: number, count: number, level: 'warn' | 'danger' = 'danger') {
  const all = Array.from({ length: count }, (_, index) => dst(first + index));
  all.forEach((one) => void lab.contact(one));
  await lab.poll();
  for (const one of all) {
    await lab.list(one, { level });
  }
}

const causes = async (lab: NotificationLab) => (await lab.events()).map(({ cause }) => cause).reverse();

test('connections of level danger call for one when the threshold is reached; what it was about calls for no second one', async () => {
  await using lab = await startNotificationLab();
  await threats(lab, 0, 3, 'warn');
  await threats(lab, 3, 1);
  const threat = { enabled: false, dangerThreshold: 2, newDestinationsThreshold: 1, increaseThreshold: 3 };
  await lab.set({ ...rules('danger'), threat });
  await lab.later(minute);
  expect(lab.asked()).toBe(0);
  await threats(lab, 4, 1);
  await lab.later(minute);
  const [event] = await lab.events();
  expect(event).toMatchObject({ triggerType: 'threat', cause: 'danger', status: 'complete', chatSent: 1 });
  expect(event?.triggerKey).toMatch(/^threat:danger:\d+$/);
  expect(lab.delivered()).toEqual([expect.stringContaining('connections to listed destinations')]);
  for (let looks = 0; looks < 6; looks += 1) {
    await lab.later(hour);
  }
  expect(lab.asked()).toBe(1);
  await threats(lab, 5, 2);
  await lab.later(minute);
  expect(lab.asked()).toBe(2);
});

test('for the same causes there is none before the cooldown is over, also after a restart; others do not wait', async () => {
  await using lab = await startNotificationLab();
  const cooldown = { cooldownMinutes: 60 };
  await lab.set({ ...rules('danger'), ...cooldown });
  await threats(lab, 0, 1);
  await lab.later(minute);
  await threats(lab, 1, 1);
  await lab.later(30 * minute);
  await lab.restart();
  await lab.later(minute);
  expect(await causes(lab)).toEqual(['danger']);
  await lab.set({ ...rules('danger', 'newDestination'), ...cooldown });
  await lab.later(minute);
  expect(await causes(lab)).toEqual(['danger', 'danger+newDestination']);
  await threats(lab, 2, 1);
  await lab.later(58 * minute);
  expect(lab.asked()).toBe(2);
  await lab.later(minute);
  expect(await causes(lab)).toEqual(['danger', 'danger+newDestination', 'danger+newDestination']);
});

test('new destinations, and three times as many threats as in the period before', async () => {
  await using lab = await startNotificationLab();
  const threat = { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 3, increaseThreshold: 3 };
  await lab.set({ ...rules('newDestination'), threat });
  [0, 1].forEach((index) => void lab.contact(dst(index)));
  await lab.poll();
  await lab.later(minute);
  expect(lab.asked()).toBe(0);
  lab.contact(dst(2));
  await lab.poll();
  await lab.later(minute);
  expect(await causes(lab)).toEqual(['newDestination']);
  await lab.set({ ...rules('increase'), threat, rangeHours: 1 });
  // Two in the hour before: five are not three times as many, six are.
  await threats(lab, 3, 2, 'warn');
  await lab.later(hour);
  await threats(lab, 5, 5, 'warn');
  await lab.later(minute);
  expect(lab.asked()).toBe(1);
  await threats(lab, 10, 1, 'warn');
  await lab.later(minute);
  expect(await causes(lab)).toEqual(['newDestination', 'increase']);
});

test('the limit of a local day counts all that the hub begins by itself, failed or not, and nothing else', async () => {
  await using lab = await startNotificationLab();
  const scheduled = { frequency: 'daily', time: '20:00', timezone: 'Asia/Tokyo', dailyLimit: 2 } as const;
  await lab.as.admin.ai.notificationRunNow({ body: {} });
  lab.ai.fail('server-error', { times: 1 });
  await lab.set({ ...rules('danger', 'scheduled'), ...scheduled });
  await threats(lab, 0, 1);
  await lab.later(minute);
  expect((await lab.status()).message).toBeNull();
  await lab.later(5 * minute);
  expect(lab.asked()).toBe(3);
  expect((await lab.status()).message).toMatch(/2 analyses today.*dailyLimit/);
  await threats(lab, 1, 1);
  // 21:00 in Tokyo: the scheduled one is due, and none is made.
  await lab.later(9 * hour);
  expect(lab.asked()).toBe(3);
  // 00:30 of the next day there.
  await lab.later(3.5 * hour);
  expect(lab.asked()).toBe(4);
  expect((await lab.status()).message).toBeNull();
});

test('rules that are off call for nothing, and nothing is begun by itself when all are', async () => {
  await using lab = await startNotificationLab();
  await lab.set({ ...rules(), frequency: 'daily' });
  await threats(lab, 0, 4);
  await lab.later(hour);
  expect([lab.asked(), await lab.events()]).toEqual([0, []]);
  expect(await lab.status()).toMatchObject({ automationReady: false, nextRunAt: null, message: null });
});
