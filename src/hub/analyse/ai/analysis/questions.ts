// Makes the request of an analysis or of a message: what was shown in a preview, or the facts of now.
import type { Contexts } from '../../insights/contexts.ts';
import type { Prompt } from '../prompt.ts';
import type { OutgoingRequest, Target } from '../providers/provider.ts';
import type { Asked, Composed, Previews } from './previews.ts';
import { buildAnalysisPrompt, buildChatPrompt, type PastTurn } from './prompts.ts';
import type { Language } from './system-text.ts';

/** The provider that is asked, and how its requests are made; a `Generation` is one. */
export interface Asking {
  readonly target: Target;
  buildRequest(prompt: Prompt): OutgoingRequest;
}

export interface Question {
  asked: Asked;
  asking: Asking;
  /** Earlier turns of the conversation, oldest first. */
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
  /** The language of the settings, for a question that names none. */
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
