// A restore of a backup from before an analysis: what was begun, paid and delivered stays so.
import { expect, test } from 'vitest';
import { daily, minute, type NotificationLab, startNotificationLab } from '../support/notification-lab.ts';

/** Makes a backup, lets the scheduled analysis be made, and restores the backup. */
async function restoredAfterRun(lab: NotificationLab): Promise<void> {
  await lab.set(daily);
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await lab.later(10 * minute);
  await lab.as.admin.backup.restore({ body: { name } });
  await lab.settled();
}

test('an analysis that was delivered is neither made nor delivered again', async () => {
  await using lab = await startNotificationLab();
  await restoredAfterRun(lab);
  const before = await lab.events();
  expect(before).toMatchObject([{ status: 'complete', chatSent: 1 }]);
  await lab.later(30 * minute);
  expect([lab.asked(), lab.delivered().length, await lab.events()]).toEqual([1, 1, before]);
});

test('one that waited for the chat workspace is delivered once, and not paid again', async () => {
  await using lab = await startNotificationLab();
  lab.chat.fail('server-error');
  await restoredAfterRun(lab);
  expect([lab.asked(), lab.delivered()]).toEqual([1, []]);
  lab.chat.clearFaults();
  for (let looks = 0; looks < 3; looks += 1) {
    await lab.later(15 * minute);
  }
  expect([lab.asked(), lab.delivered().length, (await lab.events()).map(({ chatSent }) => chatSent)]).toEqual([
    1,
    1,
    [1],
  ]);
});

test('tries that failed count', async () => {
  await using lab = await startNotificationLab();
  lab.ai.fail('server-error');
  await restoredAfterRun(lab);
  await lab.later(4 * minute);
  expect(lab.asked()).toBe(1);
  await lab.later(minute);
  expect([lab.asked(), (await lab.events())[0]?.triggerKey]).toEqual([2, 'scheduled:daily:2026-03-01:03:10#2']);
});
