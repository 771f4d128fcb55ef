// A request that comes again: what differs from the first, what its answer was, and what is left out.
import { expect, test } from 'vitest';
import { toAskedWith } from '#hub/analyse/ai/conversations/asked-with.ts';
import { type ChatBody, toRepeatedReply } from '#hub/analyse/ai/conversations/repeat.ts';
import type { KnownRequest } from '#hub/analyse/ai/conversations/requests.ts';
import { uuid } from '../../../../support/conversation-rows.ts';

const [stored, named, preview] = [uuid(1), uuid(2), uuid(3)];
const body: ChatBody = { message: 'What?', from: 10, priorAnalysis: 'Before.', language: 'en', previewId: preview };
const counted = { usageInputTokens: 5, usageOutputTokens: 2, usageTotalTokens: 7 };
const answer = { role: 'assistant', status: 'complete', body: 'That.', estimatedCostUsd: 0.5, ...counted } as const;
const known = {
  ...{ conversationId: stored, named, startedNewConversation: true, message: 'What?', from: 10, to: 20 },
  ...{ sourceKind: null, sourceId: null, askedWith: toAskedWith(body, 'en'), answer, pricing: null },
} as unknown as KnownRequest;
const place = { conversationId: stored, requestId: uuid(9), startedNewConversation: true };

const reply = (change: Partial<ChatBody>, first: Partial<KnownRequest> = {}) =>
  toRepeatedReply({ ...known, ...first }, uuid(9), { ...body, ...change });

test.each<[Partial<ChatBody>, Partial<KnownRequest>?]>([
  [{}],
  [{ conversationId: stored }],
  [{ conversationId: named }],
  [{ to: 20 }],
  [{ language: undefined }],
  [{ previewId: undefined }],
  [
    { sourceKind: 'router', sourceId: 'r1' },
    { sourceKind: 'router', sourceId: 'r1' },
  ],
  [{ priorAnalysis: '' }, { askedWith: toAskedWith({ previewId: preview }, 'en') }],
  [{ priorAnalysis: 'Other.', language: 'ja', previewId: uuid(4) }, { askedWith: null }],
])('with %j it is the same request, and gets the stored answer', (change, first) => {
  const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 };
  expect(reply(change, first)).toEqual({
    ...{ success: true, ...place, message: answer, usage, pricing: null, estimatedCostUsd: 0.5 },
  });
});

test.each<[Partial<ChatBody>, string, Partial<KnownRequest>?]>([
  [{ conversationId: uuid(5) }, 'in another conversation'],
  [{ conversationId: uuid(5) }, 'in another conversation', { named: null }],
  [{ message: 'Who?' }, 'for another message'],
  [{ from: 11 }, 'for another period'],
  [{ to: 21 }, 'for another period'],
  [{ sourceKind: 'router', sourceId: 'r1' }, 'for another source'],
  [{ sourceKind: 'router', sourceId: 'r2' }, 'for another source', { sourceKind: 'router', sourceId: 'r1' }],
  [{ sourceKind: 'agent', sourceId: 'r1' }, 'for another source', { sourceKind: 'router', sourceId: 'r1' }],
  [{}, 'for another source', { sourceKind: 'router', sourceId: 'r1' }],
  [{ priorAnalysis: 'After.' }, 'with another earlier analysis'],
  [{ priorAnalysis: undefined }, 'with another earlier analysis'],
  [{ language: 'ja' }, 'in another language'],
  [{ previewId: uuid(4) }, 'for another preview'],
  [{}, 'for another preview', { askedWith: toAskedWith({ priorAnalysis: 'Before.' }, 'en') }],
])('with %j the id was used %s, whatever came of it', (change, difference, first = {}) => {
  const message = `this requestId was used ${difference}: ask with a new one`;
  for (const came of [{}, { answer: null }]) {
    expect(() => reply(change, { ...first, ...came })).toThrow(
      expect.objectContaining({ code: 'ai_request_conflict', message }),
    );
  }
});

test('without an answer it is busy, with a failure it says which, and unknown counts are null', () => {
  const failed = { ...answer, status: 'failed', errorCode: 'ai_limited' } as unknown as KnownRequest['answer'];
  expect(() => reply({}, { answer: null })).toThrow(expect.objectContaining({ code: 'ai_busy', details: place }));
  expect(() => reply({}, { answer: failed })).toThrow(
    expect.objectContaining({
      ...{ code: 'ai_request_failed', details: place, message: expect.stringContaining('(ai_limited)') },
    }),
  );
  for (const name of Object.keys(counted)) {
    const unknown = { ...answer, [name]: null, estimatedCostUsd: undefined } as unknown as KnownRequest['answer'];
    expect(reply({}, { answer: unknown })).toMatchObject({ usage: null, estimatedCostUsd: null });
  }
});
