// Analyses on request, tests of the destinations, and whom the hub may ask by itself.
import { describe, expect, test } from 'vitest';
import { readEvents } from '../support/event-reader.ts';
import { daily, hour, minute, startNotificationLab } from '../support/notification-lab.ts';
import { verifies } from '../support/verifies.ts';

describe('on request', () => {
  verifies('rest.ai-notifications.run-now', 'the analysis of the configured period is made and delivered', async () => {
    await using lab = await startNotificationLab();
    await lab.set({ rangeHours: 48 });
    const { event, success } = await lab.as.admin.ai.notificationRunNow({ body: {} });
    const now = lab.clock.now();
    expect(success).toBe(true);
    expect(event).toMatchObject({
      ...{ triggerType: 'manual', triggerKey: null, cause: 'manual', status: 'complete', provider: 'local' },
      ...{ createdAt: now, rangeFrom: now - 48 * hour, rangeTo: now, body: expect.stringMatching(/./) },
    });
    await lab.settled();
    expect(await lab.events()).toEqual([{ ...event, chatSent: 1 }]);
    expect([lab.asked(), lab.delivered()]).toEqual([1, [expect.stringContaining('Analysis on request')]]);
    const { current } = await lab.as.admin.ai.monthlyUsage({ query: {} });
    expect([current.requests, current.totalTokens]).toEqual([1, event.totalTokens]);
  });

  test('a cloud provider is asked when this request confirms it; what is refused before is no event', async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_a' });
    const run = (body: { cloudConsentConfirmed?: boolean }) => lab.as.admin.ai.notificationRunNow({ body });
    for (const body of [{}, { cloudConsentConfirmed: false }]) {
      await expect(run(body)).rejects.toMatchObject({ status: 403, code: 'ai_consent_required' });
    }
    await lab.choose('disabled');
    await expect(run({})).rejects.toMatchObject({ status: 400, code: 'ai_disabled' });
    await lab.choose('cloud_a');
    await lab.set({ destinations: { ui: false, chat: true } });
    await lab.as.admin.chat.saveConfig({ body: { enabled: false } });
    await expect(run({ cloudConsentConfirmed: true })).rejects.toMatchObject({ status: 400, code: 'ai_chat_missing' });
    expect([lab.asked(), await lab.events()]).toEqual([0, []]);
    await lab.as.admin.chat.saveConfig({ body: { enabled: true } });
    expect((await run({ cloudConsentConfirmed: true })).event).toMatchObject({ provider: 'cloud_a', body: null });
    expect(lab.asked()).toBe(1);
  });

  test('one at a time; one that fails says why, and is an event', async () => {
    await using lab = await startNotificationLab();
    const run = () => lab.as.admin.ai.notificationRunNow({ body: {} });
    lab.ai.fail('hold');
    const first = run();
    await lab.ai.held();
    await expect(run()).rejects.toMatchObject({ status: 409, code: 'ai_busy' });
    lab.ai.clearFaults();
    await first;
    lab.ai.fail('server-error', { times: 1 });
    await expect(run()).rejects.toMatchObject({ status: 502, code: 'ai_failed' });
    lab.ai.fail('hold');
    const late = run().then(
      () => 'made',
      (error: { status: number; code: string }) => [error.status, error.code],
    );
    await lab.ai.held();
    await lab.clock.advance(30_000);
    expect(await late).toEqual([504, 'ai_timeout']);
    lab.ai.clearFaults();
    const manual = { triggerType: 'manual', triggerKey: null };
    expect(await lab.events()).toMatchObject([
      { ...manual, status: 'failed', errorCode: 'ai_timeout', body: null, chatSent: 0 },
      { ...manual, status: 'failed', errorCode: 'ai_failed' },
      { ...manual, status: 'complete' },
    ]);
  });
});

verifies('rest.ai-notifications.test', 'the destinations are tried, and no provider is asked', async () => {
  await using lab = await startNotificationLab();
  const tried = async () => (await lab.as.admin.ai.notificationTest({ body: {} })).event;
  await lab.set({ destinations: { ui: true, chat: false } });
  const none = { triggerType: 'test', cause: 'test', provider: null, model: null, totalTokens: 0, errorCode: null };
  expect(await tried()).toMatchObject({ ...none, status: 'complete', chatSent: 0, body: expect.stringMatching(/./) });
  expect(lab.told()).toEqual([]);
  await lab.set({ destinations: { ui: false, chat: true } });
  expect(await tried()).toMatchObject({ ...none, status: 'complete', chatSent: 1, body: null });
  expect(lab.told()).toEqual([expect.stringContaining('can send analyses here')]);
  lab.chat.fail('server-error', { times: 1 });
  await expect(tried()).rejects.toMatchObject({ status: 502, code: 'chat_unreachable', body: { success: false } });
  lab.chat.fail('invalid_auth', { times: 1 });
  await expect(tried()).rejects.toMatchObject({ status: 400, code: 'chat_refused', body: { success: false } });
  await lab.as.admin.chat.saveConfig({ body: { clearToken: true } });
  await expect(tried()).rejects.toMatchObject({ status: 400, code: 'token_or_userid_missing' });
  const events = await lab.events();
  expect(events.map(({ errorCode }) => errorCode)).toEqual([
    ...['token_or_userid_missing', 'chat_refused', 'chat_unreachable'],
    ...[null, null],
  ]);
  expect(events.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'complete', 'complete']);
  expect(lab.ai.requests()).toEqual([]);
});

describe('whom the hub may ask by itself', () => {
  test('a cloud provider with consent for that; it is void when another one is chosen, also when the first one returns', async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_a' });
    await expect(lab.set({ ...daily, automationConsent: false })).rejects.toMatchObject({
      ...{ status: 400, code: 'ai_consent_missing' },
    });
    expect((await lab.set(daily)).automationReady).toBe(true);
    for (const provider of ['cloud_b', 'cloud_a'] as const) {
      await lab.choose(provider);
      const { config, status } = await lab.as.admin.ai.notificationConfig({});
      expect([config.automationConsent, status.automationReady]).toEqual([false, false]);
      expect(status.message).toMatch(/nobody has agreed that (Anthropic|OpenAI) is asked without a question/);
      await lab.later(hour);
    }
    expect([lab.asked(), await lab.events()]).toEqual([0, []]);
    await lab.set(daily);
    await lab.later(23 * hour);
    expect([lab.asked(), (await lab.events())[0]?.provider]).toEqual([1, 'cloud_a']);
  });

  test('a consent that is taken back before the next look holds', async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_a' });
    await lab.set(daily);
    await lab.as.admin.ai.saveConfig({ body: { provider: 'disabled', cloudConsent: { cloud_a: false } } });
    await lab.later(10 * minute);
    expect([lab.asked(), await lab.events()]).toEqual([0, []]);
  });

  test('nobody when no provider is chosen or the hub is offline: no request, no event, and the status says why', async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_a' });
    await lab.set(daily);
    await lab.restart({ offline: true });
    await lab.later(10 * minute);
    expect([lab.asked(), await lab.events(), (await lab.status()).message]).toEqual([
      ...[0, []],
      expect.stringMatching(/offline mode/),
    ]);
    await lab.restart({ offline: false });
    await lab.choose('disabled');
    for (let looks = 0; looks < 3; looks += 1) {
      await lab.later(10 * minute);
    }
    expect([lab.asked(), await lab.events(), (await lab.status()).message]).toEqual([
      ...[0, []],
      expect.stringMatching(/no AI provider is chosen: choose one/),
    ]);
  });
});

test('a live stream says that there is an event, without its text, to those who may read the log', async () => {
  await using lab = await startNotificationLab();
  await lab.set({});
  const { token } = await lab.as.identity(['network.read', 'audit.read']);
  const { token: other } = await lab.as.identity(['network.read']);
  using reader = await readEvents(lab.url, { 'x-admin-token': token });
  using stranger = await readEvents(lab.url, { 'x-admin-token': other });
  const { event } = await lab.as.admin.ai.notificationRunNow({ body: {} });
  const { data } = await reader.next('ai-notification');
  const { body, citations, ...notice } = event;
  expect(data).toEqual(notice);
  expect((await reader.next('ai-notification')).data).toEqual({ ...notice, chatSent: 1 });
  await lab.poll();
  await stranger.next('routers-status');
  expect(stranger.names).not.toContain('ai-notification');
});
