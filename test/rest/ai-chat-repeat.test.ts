// A request that is sent again: the stored answer for the same content, a conflict for any other; nobody is asked again.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { startAiLab } from '../support/ai-lab.ts';
import type { ChatBody } from '../support/chat-lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

/** Each field by the place of its value in a short list, so that a test case is small and equal ones are frequent. */
const fields = {
  message: fc.nat(1),
  from: fc.nat(1),
  to: fc.nat(2),
  source: fc.nat(2),
  priorAnalysis: fc.nat(3),
  language: fc.nat(2),
};
type Choice = { [K in keyof typeof fields]: number };
/** The first value of each list. */
const first: Choice = { message: 0, from: 0, to: 0, source: 0, priorAnalysis: 0, language: 0 };

async function startRepeatLab() {
  const lab = await startAiLab({ provider: 'local', routers: { home: 'vendor_a', attic: 'vendor_b' } });
  const now = lab.clock.now();
  const values = {
    message: ['What changed?', 'What is new?'],
    from: [now - 2 * hourMs, now - hourMs],
    to: [undefined, now, now - 30 * minuteMs],
    source: [undefined, lab.routers.home.id, lab.routers.attic.id],
    priorAnalysis: [undefined, '', 'There were 12 connections.', 'There were 13 connections.'],
    language: [undefined, 'en', 'ja'],
  } as const;
  const toBody = (choice: Choice, requestId: string): ChatBody => {
    const sourceId = values.source[choice.source];
    return {
      ...{ requestId, message: values.message[choice.message] ?? '', from: values.from[choice.from] ?? 0 },
      ...{ to: values.to[choice.to], priorAnalysis: values.priorAnalysis[choice.priorAnalysis] },
      ...{ language: values.language[choice.language], ...(sourceId && { sourceKind: 'router', sourceId }) },
    };
  };
  const questions = () => lab.ai.requests().filter(({ method }) => method === 'POST').length;
  return Object.assign(Object.create(lab) as typeof lab, { toBody, questions });
}

/** What the hub fills in is the same as when it is given (Japanese at first); what a repeat leaves out is not compared. */
function isSameContent(one: ChatBody, second: ChatBody, now: number): boolean {
  const { to = now, language = 'ja' } = one;
  return (
    one.message === second.message &&
    one.from === second.from &&
    one.sourceId === second.sourceId &&
    (one.priorAnalysis ?? '') === (second.priorAnalysis ?? '') &&
    [undefined, to].includes(second.to) &&
    [undefined, language].includes(second.language)
  );
}

verifies(
  'rest.ai-chat.repeat-conflict rest.ai-chat.no-duplicate',
  'another message, period, source, earlier analysis or language is 409, the same content the stored answer',
  async () => {
    await using lab = await startRepeatLab();
    const seen = { same: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.record<Choice>(fields),
        fc.record<Partial<Choice>>(fields, { requiredKeys: [] }),
        fc.boolean(),
        async (choice, changes, isChanged) => {
          const requestId = randomUUID();
          const body = lab.toBody(choice, requestId);
          const stored = await lab.as.admin.ai.chat({ body });
          const before = lab.questions();
          const again = lab.toBody({ ...choice, ...(isChanged ? changes : {}) }, requestId);
          if (isSameContent(body, again, lab.clock.now())) {
            seen.same += 1;
            expect(await lab.as.admin.ai.chat({ body: again })).toEqual(stored);
          } else {
            seen.other += 1;
            const { status, code } = await refusal(lab.as.admin.ai.chat({ body: again }));
            expect([status, code]).toEqual([409, 'ai_request_conflict']);
          }
          expect(lab.questions()).toBe(before);
        },
      ),
      {
        numRuns: 60,
        endOnFailure: true,
        examples: [
          [first, { language: 1 }, true],
          [first, { language: 2 }, true],
        ],
      },
    );
    expect(Math.min(seen.same, seen.other)).toBeGreaterThan(9);
  },
);

verifies(
  'rest.ai-chat.repeat-conflict',
  'a question about a preview comes again with that preview or with none; one that failed or is under way conflicts as well',
  async () => {
    await using lab = await startRepeatLab();
    const ask = (body: ChatBody) => lab.as.admin.ai.chat({ body });
    const about = { from: lab.clock.now() - hourMs, message: 'What changed?' };
    const [one, other] = [
      await lab.as.admin.ai.preview({ body: about }),
      await lab.as.admin.ai.preview({ body: about }),
    ];
    const body = { ...about, requestId: randomUUID() };
    const first = await ask({ ...body, previewId: one.previewId });
    expect(await ask({ ...body, previewId: one.previewId })).toEqual(first);
    expect(await ask(body)).toEqual(first);
    expect((await refusal(ask({ ...body, previewId: other.previewId }))).code).toBe('ai_request_conflict');

    const codes = async (known: ChatBody) => [
      (await refusal(ask(known))).code,
      (await refusal(ask({ ...known, from: known.from - 1 }))).code,
    ];
    const failing = { ...about, requestId: randomUUID() };
    lab.ai.fail('refusal', { times: 1 });
    await refusal(ask(failing));
    expect(await codes(failing)).toEqual(['ai_request_failed', 'ai_request_conflict']);
    const held = { ...about, requestId: randomUUID() };
    lab.ai.fail('hold', { times: 1 });
    const asked = ask(held);
    await lab.ai.held();
    expect(await codes(held)).toEqual(['ai_busy', 'ai_request_conflict']);
    lab.ai.release();
    const answer = await asked;
    expect(await ask(held)).toEqual(answer);
    expect(lab.questions()).toBe(3);
  },
);
