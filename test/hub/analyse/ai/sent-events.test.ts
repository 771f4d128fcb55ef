// The event of what was sent: at every provider one for each request that left, whatever became of it, and none before.
import { expect } from 'vitest';
import { type AiProviderName, aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import { createProviders } from '#hub/analyse/ai/providers/providers.ts';
import { createSend } from '#hub/analyse/ai/sending.ts';
import type { AuditEntry } from '#hub/base/auth/audit.ts';
import { toActor } from '#hub/base/auth/principal.ts';
import { ClientGone } from '#kernel/http/when-closed.ts';
import { createLog } from '#kernel/process/log.ts';
import { createId } from '#kernel/text/secret.ts';
import { type AiDesk, openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { aiModels } from '../../../support/ai-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const endings = async (desk: AiDesk) =>
  (await desk.audited()).map(({ eventType, outcome, metadata }) => [eventType, outcome, metadata?.errorCode]);

verifies.each(
  'rest.ai-provider.audited',
  aiProviderNames.map((provider) => ({
    what: `${provider}: answered, refused, broken off, too late, cancelled`,
    provider,
  })),
  async ({ provider }) => {
    await using desk = await openAiDesk();
    desk.choose(provider);
    const [requestId, request] = [createId(), desk.providers[provider].buildRequest(desk.target(), smallPrompt)];
    await desk.ask(smallPrompt, { requestId, kind: 'chat' });
    const asked = { kind: 'chat', provider, model: aiModels[provider], external: provider !== 'local' };
    expect((await desk.audited()).map(({ metadata }) => metadata)).toEqual([
      { ...asked, bytes: Buffer.byteLength(request.body), aiRequestId: requestId },
    ]);
    for (const fault of ['server-error', 'refusal', 'reset', 'unauthorized'] as const) {
      desk.ai.fail(fault, { times: 1 });
      await expect(desk.ask()).rejects.toThrow();
    }
    desk.ai.fail('no-answer');
    const late = desk.ask().catch(() => undefined);
    await expect.poll(() => desk.ai.requests().length).toBe(6);
    await desk.clock.advance(limits.aiGenerationMs);
    await late;
    const leaving = new AbortController();
    const left = desk.ask(smallPrompt, { signal: leaving.signal }).catch(() => undefined);
    await expect.poll(() => desk.ai.requests().length).toBe(7);
    leaving.abort(new ClientGone());
    await left;
    // Nothing is sent for a client that has left already.
    await expect(desk.ask(smallPrompt, { signal: leaving.signal })).rejects.toThrow(ClientGone);
    const failures = ['ai_failed', 'ai_answer_refused', 'ai_failed', 'ai_key_rejected', 'ai_timeout', 'cancelled'];
    expect(await endings(desk)).toEqual([
      ['ai_sent', 'success', undefined],
      ...failures.map((code) => ['ai_sent', 'failure', code]),
    ]);
    desk.ai.clearFaults();
  },
);

verifies.each(
  'rest.ai-provider.audited',
  aiProviderNames.map((provider) => ({ what: `${provider}: nothing listens there, and nothing was sent`, provider })),
  async ({ provider }) => {
    await using desk = await openAiDesk();
    desk.choose(provider);
    const nowhere = 'http://127.0.0.1:1';
    const urls = { cloud_a: nowhere, cloud_b: nowhere, cloud_c_runtime: nowhere, cloud_c_control: nowhere };
    await using unreachable = createProviders({ clock: desk.clock, log: createLog('hub', 'silent') }, urls);
    const recorded: AuditEntry[] = [];
    const audit = { record: async (entry: AuditEntry) => void recorded.push(entry) };
    const send = createSend({ ...desk, ...unreachable, auth: { audit, toActor } });
    const target = { ...desk.target(), endpoint: nowhere };
    const sending = (kind: AiProviderName) => ({
      ...{ target, caller: null, kind: 'analysis' as const, requestId: createId() },
      ...{
        request: unreachable.providers[kind].buildRequest(target, smallPrompt),
        signal: new AbortController().signal,
      },
      onUsage: () => {},
    });
    await expect(send(sending(provider))).rejects.toMatchObject({ code: 'ai_failed' });
    expect(recorded).toEqual([]);
  },
);

verifies(
  'rest.ai-provider.audited',
  'when the hub ends, what is being asked ends as interrupted, and nothing begins',
  async () => {
    await using desk = await openAiDesk();
    desk.choose('cloud_a');
    desk.ai.fail('hold');
    const asked = desk.ask().catch((error: unknown) => error);
    await desk.ai.held();
    await desk.generations.end();
    expect(await endings(desk)).toEqual([['ai_sent', 'failure', 'interrupted']]);
    expect(await asked).toMatchObject({ code: 'not_ready' });
    await expect(desk.ask()).rejects.toMatchObject({ code: 'not_ready' });
    expect(desk.ai.requests()).toHaveLength(1);
    desk.ai.clearFaults();
  },
);
