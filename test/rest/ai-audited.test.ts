// What left for an AI provider stands in the audit trail: one event for each request that was sent, and none for others.
import { expect } from 'vitest';
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { aiModels, awsCredentials, startAiLab } from '../support/ai-lab.ts';
import { startChatLab } from '../support/chat-lab.ts';
import { uuid } from '../support/conversation-rows.ts';
import { device } from '../support/detection-lab.ts';
import { daily, minute, startNotificationLab } from '../support/notification-lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

type Audited = { as: { admin: Client<Api> } };

/** The oldest first. */
const trail = async ({ as }: Audited) =>
  (await as.admin.auth.auditEvents({ query: { limit: '500' } })).events.toReversed();
const sent = async (lab: Audited) => (await trail(lab)).filter(({ eventType }) => eventType === 'ai_sent');
const kindsSent = async (lab: Audited) => (await sent(lab)).map(({ metadata }) => metadata?.kind);
const aiRequestId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const pseudonym = expect.stringMatching(/^[0-9a-f]{12}$/);

verifies(
  'rest.ai-provider.audited',
  'an analysis, a message, a draft and a test name who had it sent, to whom, for what, and how it ended',
  async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_c' });
    lab.contact('203.0.113.80');
    await lab.poll();
    const { ai, notes } = lab.as.admin;
    const cloudConsentConfirmed = true;
    const from = lab.clock.now() - 60 * minute;
    await ai.preview({ body: { from } });
    await ai.analyze({ body: { from, cloudConsentConfirmed } });
    await ai.chat({ body: { from, message: 'What changed?', requestId: uuid(1), cloudConsentConfirmed } });
    await notes.draft({ body: { ip: device, cloudConsentConfirmed } });
    await ai.test({ body: {} });
    await ai.notificationRunNow({ body: { cloudConsentConfirmed } });
    const whom = { provider: 'cloud_c', model: aiModels.cloud_c, external: true };
    const one = (kind: string, path: string, id: unknown = aiRequestId) =>
      expect.objectContaining({
        ...{ outcome: 'success', authMethod: 'api-token', actorHash: pseudonym, principalHash: pseudonym },
        ...{ clientIpHash: pseudonym, requestId: expect.any(String), httpMethod: 'POST', path },
        metadata: { kind, ...whom, bytes: expect.any(Number), aiRequestId: id },
      });
    expect(await sent(lab)).toEqual([
      one('analysis', '/api/ai/analyze'),
      one('chat', '/api/ai/chat', uuid(1)),
      one('draft', '/api/notes/draft'),
      one('test', '/api/ai/test'),
      one('notification', '/api/ai/notification-run-now'),
    ]);
    // Each call of the API has its event besides, with the same request id.
    const calls = (await trail(lab)).filter(({ eventType, path }) => eventType === 'api_mutation' && path);
    const ofCalls = new Map(calls.map(({ requestId, path }) => [requestId, path]));
    for (const { requestId, path } of await sent(lab)) {
      expect(ofCalls.get(requestId)).toBe(path);
    }
    const posted = lab.ai.requests().filter(({ method }) => method === 'POST');
    const bytes = posted.map(({ body }) => Buffer.byteLength(body));
    expect((await sent(lab)).map(({ metadata }) => metadata?.bytes)).toEqual(bytes);
  },
);

verifies('rest.ai-provider.audited', 'an analysis that the hub makes by itself was sent by nobody', async () => {
  await using lab = await startNotificationLab();
  lab.ai.fail('server-error', { times: 1 });
  await lab.set(daily);
  await lab.later(10 * minute);
  await lab.later(5 * minute);
  expect(lab.asked()).toBe(2);
  const nobody = { authMethod: null, actorHash: null, principalHash: null, requestId: null, clientIpHash: null };
  const facts = { kind: 'notification', provider: 'local', model: aiModels.local, external: false };
  expect(await sent(lab)).toEqual([
    expect.objectContaining({
      ...{ ...nobody, outcome: 'failure', httpMethod: null, path: null },
      metadata: expect.objectContaining({ ...facts, errorCode: 'ai_failed' }),
    }),
    expect.objectContaining({ ...nobody, outcome: 'success', metadata: expect.objectContaining(facts) }),
  ]);
});

verifies(
  'rest.ai-provider.audited',
  'what is answered from storage, refused before it is sent, or reaches nobody leaves no such event',
  async () => {
    await using lab = await startChatLab('cloud_a');
    await lab.chat({ requestId: uuid(1) });
    expect(await kindsSent(lab)).toEqual(['chat']);
    const { ai } = lab.as.admin;
    const { from } = lab.body();
    await lab.chat({ requestId: uuid(1) });
    await ai.preview({ body: { from } });
    await refusal(lab.chat({ requestId: uuid(1), message: 'Another one?' }));
    expect((await refusal(ai.analyze({ body: { from } }))).code).toBe('ai_consent_required');
    await ai.test({ body: {} });
    const expired = { from, previewId: uuid(9), cloudConsentConfirmed: true };
    expect((await refusal(ai.analyze({ body: expired }))).code).toBe('ai_preview_expired');
    await lab.choose('local', { localEndpoint: 'http://127.0.0.1:1' });
    expect((await refusal(ai.analyze({ body: { from } }))).message).toMatch(/cannot be reached/);
    await lab.choose('disabled');
    expect((await refusal(ai.analyze({ body: { from } }))).code).toBe('ai_disabled');
    expect(await kindsSent(lab)).toEqual(['chat']);
    expect(lab.questions()).toHaveLength(1);
    const refused = (await trail(lab)).filter(
      ({ path, outcome }) => path === '/api/ai/analyze' && outcome === 'failure',
    );
    expect(refused.map(({ eventType }) => eventType)).toEqual(Array.from({ length: 4 }, () => 'api_mutation'));
  },
);

verifies('rest.ai-provider.audited', 'without credentials of AWS nothing is sent, and none is recorded', async () => {
  await using lab = await startAiLab({ provider: 'cloud_c' });
  using _ = awsCredentials({ keys: null });
  const body = { from: lab.clock.now() - 60 * minute, cloudConsentConfirmed: true };
  expect((await refusal(lab.as.admin.ai.analyze({ body }))).code).toBe('ai_key_rejected');
  expect(await kindsSent(lab)).toEqual([]);
});

verifies(
  'rest.ai-provider.audited',
  'a hub that stops ends an analysis at once, and what was sent stands there',
  async () => {
    await using lab = await startChatLab('cloud_b');
    lab.ai.fail('hold');
    const body = { from: lab.clock.now() - 60 * minute, cloudConsentConfirmed: true };
    const asked = refusal(lab.as.admin.ai.analyze({ body }));
    await lab.ai.held();
    // The clock stands still: no deadline ends the wait.
    const [, refused] = await Promise.all([lab.restart(), asked]);
    expect([refused.status, refused.code]).toEqual([503, 'not_ready']);
    await expect.poll(() => lab.ai.journal().some(({ kind }) => kind === 'gone')).toBe(true);
    expect(await sent(lab)).toMatchObject([
      { outcome: 'failure', metadata: { kind: 'analysis', errorCode: 'interrupted' } },
    ]);
    lab.ai.clearFaults();
  },
);
