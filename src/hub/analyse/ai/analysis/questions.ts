// Makes the request of an analysis or of a message: what was shown in a preview, or the facts of now.
import type { AiCitation } from '#contract/ai-records.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { Contexts } from '../../insights/contexts.ts';
import { findCitations } from '../citations/citations.ts';
import type { Answer, Generation } from '../generations.ts';
import type { Prompt } from '../prompt.ts';
import type { OutgoingRequest, Target } from '../providers/provider.ts';
import type { RequestKind } from '../usage/usage-log.ts';
import type { Asked, Composed, Previews } from './previews.ts';
import { buildAnalysisPrompt, buildChatPrompt, type PastTurn } from './prompts.ts';
import type { Language } from './system-text.ts';

/** Whom it is asked, as a `Generation` is. */
export interface Asking {
  readonly target: Target;
  buildRequest(prompt: Prompt): OutgoingRequest;
}

export interface Question {
  asked: Asked;
  asking: Asking;
  /** Of the conversation that it goes on, the oldest first. */
  history?: readonly PastTurn[];
}

export interface Questions {
  /**
   * With `previewId` exactly what was shown. Rejects with AppError `ai_preview_expired`, `invalid_body`, `invalid_query`, and
   * as `ReaderPool.ask`.
   */
  compose(question: Question, signal: AbortSignal): Promise<Composed>;
}

export interface QuestionsOptions {
  contexts: Contexts;
  previews: Pick<Previews, 'take'>;
  /** Of the settings. */
  language: () => Language;
}

export function createQuestions({ contexts, previews, language: preferred }: QuestionsOptions): Questions {
  return {
    async compose({ asked, asking, history = [] }, signal) {
      if (asked.previewId !== undefined) {
        return previews.take(asked.previewId, asked, asking.target);
      }
      const { sourceKind, sourceId, message, priorAnalysis, language = preferred() } = asked;
      const { from, to } = contexts.resolvePeriod(asked);
      const context = await contexts.read({ from, to, sourceKind, sourceId }, signal);
      const prompt =
        message === undefined
          ? buildAnalysisPrompt(context, { language })
          : buildChatPrompt(context, { language, history, message, priorAnalysis });
      return { from, to, language, context, request: asking.buildRequest(prompt) };
    },
  };
}

/** What an answer states, compared with the facts that were sent. */
export function citing({ context }: Composed): (text: string) => AiCitation[] {
  return (text) => findCitations(text, context);
}

/** A message of a conversation, in a place that is taken. Rejects as `Questions.compose`. */
export type ComposeMessage = (
  message: { body: Asked & { message: string }; generation: Asking; history: readonly PastTurn[] },
  signal: AbortSignal,
) => Promise<Omit<Composed, 'context'> & { citations: (text: string) => AiCitation[] }>;

export function createComposeMessage({ compose }: Questions): ComposeMessage {
  return async ({ body, generation, history }, signal) => {
    const composed = await compose({ asked: body, asking: generation, history }, signal);
    const { from, to, language, request } = composed;
    return { from, to, language, request, citations: citing(composed) };
  };
}

export interface AnalysisAsked<T> {
  kind: RequestKind;
  /** A UUID: names the request in the log of usage. */
  requestId: string;
  /** Epoch milliseconds; at most 14 days. */
  from: number;
  to: number;
  language: Language;
  signal: AbortSignal;
  /** Stores what the answer is for, in the transaction that stores its usage. */
  keep: (writer: Writer, answer: Answer, citations: readonly AiCitation[]) => T;
}

/** Asks for the analysis of a period in a place that is taken. Rejects as `Questions.compose` and `Generation.ask`. */
export type Analyse = <T>(generation: Generation, asked: AnalysisAsked<T>) => Promise<T>;

export function createAnalyse({ compose }: Questions): Analyse {
  return async (generation, { kind, requestId, from, to, language, signal, keep }) => {
    const composed = await compose({ asked: { from, to, language }, asking: generation }, signal);
    const { kept } = await generation.ask({
      ...{ kind, requestId, request: composed.request, signal },
      keep: (writer, answer) => keep(writer, answer, citing(composed)(answer.text)),
    });
    return kept;
  };
}
