// Composes the request to an AI provider: the one that a preview showed, or a new one from the current facts.
import type { Contexts } from '../../insights/contexts.ts';
import type { Prompt } from '../prompt.ts';
import type { OutgoingRequest, Target } from '../providers/provider.ts';
import type { Previews, QuestionInput } from './previews.ts';
import { buildAnalysisPrompt, buildChatPrompt, type PastTurn } from './prompts.ts';
import type { Language } from './system-text.ts';

/** Builds requests to the provider `target`. Every `Generation` is one. */
export interface RequestBuilder {
  readonly target: Target;
  buildRequest(prompt: Prompt): OutgoingRequest;
}

export interface Question {
  input: QuestionInput;
  builder: RequestBuilder;
  /** Earlier turns of the conversation, oldest first. */
  history?: readonly PastTurn[];
}

export type Questions = ReturnType<typeof createQuestions>;

export interface QuestionsOptions {
  contexts: Contexts;
  previews: Pick<Previews, 'get'>;
  /** Used when a question has no `language`. */
  defaultLanguage: () => Language;
}

export function createQuestions({ contexts, previews, defaultLanguage }: QuestionsOptions) {
  return {
    /**
     * A question with a `previewId` gets the request of that preview. Rejects with AppError `ai_preview_expired`, `invalid_body`
     * or `invalid_query`, or with an error of `ReaderPool.ask`.
     */
    async compose({ input, builder, history = [] }: Question, signal: AbortSignal) {
      if (input.previewId !== undefined) {
        return previews.get(input.previewId, input, builder.target);
      }
      const { sourceKind, sourceId, message, priorAnalysis, language = defaultLanguage() } = input;
      const { from, to } = contexts.resolvePeriod(input);
      const context = await contexts.read({ from, to, sourceKind, sourceId }, signal);
      const prompt =
        message === undefined
          ? buildAnalysisPrompt(context, { language })
          : buildChatPrompt(context, { language, history, message, priorAnalysis });
      return { from, to, language, context, request: builder.buildRequest(prompt) };
    },
  };
}
