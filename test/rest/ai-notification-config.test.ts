// Settings of AI notifications over HTTP: what is saved and shown, and every combination that is refused.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { timeZone } from '#kernel/time/time-zone.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const sent = {
  ...{ frequency: 'daily', weekday: 3, time: '07:30', timezone: 'Asia/Tokyo', rangeHours: 24 },
  destinations: { ui: true, chat: false },
  rules: { scheduled: true, danger: true, newDestination: false, increase: false },
  threat: { enabled: false, dangerThreshold: 2, newDestinationsThreshold: 3, increaseThreshold: 4 },
  ...{ dailyLimit: 6, cooldownMinutes: 15, automationConsent: false },
} as const;

const save = (lab: Lab<never>, change: object = {}) =>
  lab.as.admin.ai.saveNotificationConfig({ body: { ...sent, ...change } as never });

verifies(
  'rest.ai-notifications.config-read',
  'before anything is saved all is off, every Monday at nine is offered, and nothing is in the way of nothing',
  async () => {
    await using lab = await startLab();
    expect(await lab.as.admin.ai.notificationConfig({})).toEqual({
      config: {
        ...{ frequency: 'off', weekday: 1, time: '09:00', timezone: 'UTC', rangeHours: 168 },
        destinations: { ui: true, chat: false },
        rules: { scheduled: false, danger: false, newDestination: false, increase: false },
        threat: { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3 },
        ...{ dailyLimit: 3, cooldownMinutes: 60, automationConsent: false },
      },
      status: {
        ...{ running: false, provider: 'disabled', automationReady: false, chatReady: false },
        ...{ nextRunAt: null, message: null, messageFacts: [] },
      },
    });
  },
);

verifies('rest.ai-notifications.config-write', 'what is saved is shown, also after a restart', async () => {
  await using lab = await startLab();
  const config = { ...sent, threat: { ...sent.threat, enabled: true } };
  const answer = await save(lab);
  expect(answer).toMatchObject({ success: true, config });
  // It is 12:00 in Tokyo: what was due this morning was not missed, for nobody had asked for it.
  expect(answer.status).toMatchObject({
    ...{ running: false, automationReady: false, chatReady: false },
    nextRunAt: timeZone('Asia/Tokyo')?.instantOf('2026-03-02', 450),
    message: expect.stringContaining('no AI provider is chosen'),
    messageFacts: [{ code: 'ai_disabled', values: {} }],
  });
  await lab.restart();
  expect((await lab.as.admin.ai.notificationConfig({})).config).toEqual(config);
});

test('what is refused names the member that is wrong, and changes nothing', async () => {
  await using lab = await startLab();
  for (const [name, change] of [
    ['frequency', { frequency: 'hourly' }],
    ['weekday', { weekday: 7 }],
    ['time', { time: '24:00' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+09:00' }],
    ['timezone', { timezone: '' }],
    ['rangeHours', { rangeHours: 0 }],
    ['rangeHours', { rangeHours: 337 }],
    ['destinations', { destinations: { ui: false, chat: false } }],
    ['scheduled', { frequency: 'off' }],
    ['threat', { threat: { ...sent.threat, dangerThreshold: 0 } }],
    ['threat', { threat: { ...sent.threat, newDestinationsThreshold: 1001 } }],
    ['threat', { threat: { ...sent.threat, increaseThreshold: 1.5 } }],
    ['dailyLimit', { dailyLimit: 0 }],
    ['dailyLimit', { dailyLimit: 7 }],
    ['cooldownMinutes', { cooldownMinutes: 14 }],
    ['cooldownMinutes', { cooldownMinutes: 1441 }],
    ['automationConsent', { automationConsent: undefined }],
    ['unknown', { unknown: 1 }],
  ] as const) {
    const refused = await refusal(save(lab, change));
    expect([change, refused.status, refused.code]).toEqual([change, 400, 'invalid_body']);
    expect(refused.message).toMatch(new RegExp(name, 'i'));
  }
  expect((await lab.as.admin.ai.notificationConfig({})).config.frequency).toBe('off');
});

test('chat without complete settings of the workspace', async () => {
  await using lab = await startLab();
  const toChat = { destinations: { ui: true, chat: true } };
  await expect(save(lab, toChat)).rejects.toMatchObject({ status: 400, code: 'ai_chat_missing' });
  await lab.as.admin.chat.saveConfig({ body: { token: 'xoxb-token', userId: 'U0OWNER001' } });
  await expect(save(lab, toChat)).rejects.toMatchObject({ code: 'ai_chat_missing' });
  await lab.as.admin.chat.saveConfig({ body: { enabled: true } });
  expect((await save(lab, toChat)).status.chatReady).toBe(true);
});

test('settings that cannot be saved stay as they were', async () => {
  await using lab = await startLab();
  await save(lab);
  const file = path.join(lab.dataDir, 'monitor.json');
  rmSync(file);
  mkdirSync(path.join(file, 'in-the-way'), { recursive: true });
  await expect(save(lab, { time: '20:00' })).rejects.toMatchObject({ status: 500, code: 'save_failed' });
  expect((await lab.as.admin.ai.notificationConfig({})).config.time).toBe('07:30');
});

verifies('rest.ai-notifications.events-200', 'at most 200 events are returned, 50 when nothing is said', async () => {
  await using lab = await startLab();
  expect(await lab.as.admin.ai.notificationEvents({ query: { limit: '200' } })).toEqual({ events: [] });
  for (const limit of ['0', '201', '1.5', '-1', 'many', '']) {
    await expect(lab.as.admin.ai.notificationEvents({ query: { limit } })).rejects.toMatchObject({
      ...{ status: 400, code: 'invalid_query' },
    });
  }
});
