// The hub is killed without warning between an analysis that was paid and its delivery: it is delivered, and paid once.
import { setTimeout as passed } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { startAi } from '#simulators/ai/ai.ts';
import { startChat } from '#simulators/chat/workspace.ts';
import { aiChoice } from '../support/ai-lab.ts';
import { eventually } from '../support/eventually.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { createRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-kill-9-notification-test';
const config = {
  ...{ frequency: 'off' as 'off' | 'daily', weekday: 1, time: '09:00', timezone: 'UTC', rangeHours: 24 },
  destinations: { ui: true, chat: true },
  threat: { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3 },
  ...{ dailyLimit: 6, cooldownMinutes: 60, automationConsent: false },
};

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const [chat, ai] = [opened.use(await startChat()), opened.use(await startAi())];
  const env = { MONITOR_CHAT_API_URL: chat.url.href };
  const start = () => startHubProcess({ dataDir: folder.path, adminToken, env });
  {
    await using hub = await start();
    const { token, userId } = chat.credentials;
    await hub.as.admin.chat.saveConfig({ body: { enabled: true, token, userId } });
    await hub.as.admin.ai.saveConfig({ body: aiChoice('local', ai) });
    await hub.as.admin.ai.saveNotificationConfig({ body: config });
  }
  const whole = opened.move();
  return {
    ...{ chat, ai, start },
    asked: () => ai.requests().filter(({ method }) => method === 'POST').length,
    delivered: () => chat.messages.filter(({ text }) => text.includes('Written by')),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

async function kill(hub: HubProcess): Promise<void> {
  hub.program.kill('SIGKILL');
  expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await hub[Symbol.asyncDispose]();
}

const eventsOf = async ({ as }: HubProcess) => (await as.admin.ai.notificationEvents({ query: {} })).events;

test('a scheduled analysis that was paid when the hub was killed is delivered after the start, and not made again', {
  timeout: 300_000,
}, async () => {
  await using scene = await startScene();
  scene.chat.fail('no-answer', { command: 'chat.postMessage' });
  const first = await scene.start();
  // Due at the next whole minute.
  const time = new Date(systemClock.now() + 60_000).toISOString().slice(11, 16);
  await first.as.admin.ai.saveNotificationConfig({ body: { ...config, frequency: 'daily', time } });
  await expect.poll(() => scene.chat.journal().some(({ method }) => method === 'chat.postMessage')).toBe(true);
  const [paid] = await eventsOf(first);
  expect(paid).toMatchObject({ triggerType: 'scheduled', status: 'complete', chatSent: 0 });
  await kill(first);
  scene.chat.clearFaults();
  await using second = await scene.start();
  await eventually(
    () => eventsOf(second),
    ([event]) => event?.chatSent === 1 || undefined,
  );
  expect([scene.asked(), scene.delivered().length]).toEqual([1, 1]);
  expect(await eventsOf(second)).toEqual([{ ...paid, chatSent: 1 }]);
  expect((await second.as.admin.ai.monthlyUsage({ query: {} })).current.requests).toBe(1);
});

test('killed at any moment, an analysis is stored with its usage and its message, or with nothing', {
  timeout: 300_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  const random = createRandom(seed);
  await using scene = await startScene();
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    scene.ai.fail('hold');
    const hub = await scene.start();
    const answer = hub.as.admin.ai.notificationRunNow({ body: {} }).then(
      () => true,
      () => false,
    );
    await scene.ai.held();
    scene.ai.clearFaults();
    await passed(random() ** 2 * 80);
    await kill(hub);
    await answer;
  }
  await using hub = await scene.start();
  const events = await eventually(
    () => eventsOf(hub),
    (all) => (all.every(({ chatSent }) => chatSent === 1) ? all : undefined),
  );
  console.log(`${events.length} of ${rounds} answers were stored before the kill`);
  expect(events.every(({ status }) => status === 'complete')).toBe(true);
  expect(scene.asked()).toBe(rounds);
  expect(scene.delivered()).toHaveLength(events.length);
  expect((await hub.as.admin.ai.monthlyUsage({ query: {} })).current.requests).toBe(events.length);
});
