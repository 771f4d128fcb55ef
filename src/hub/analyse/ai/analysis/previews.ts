// Requests that were shown before they are sent. What is sent later is exactly what was shown, or nothing.
import type { z } from 'zod';
import type { aiQuestion } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import type { Context } from '../../insights/context-shape.ts';
import type { OutgoingRequest, Target } from '../providers/provider.ts';
import type { Language } from './system-text.ts';

/** What the caller asks about a period: a chat question with `message`, an analysis without it. */
export interface QuestionInput extends Omit<z.output<z.ZodObject<typeof aiQuestion>>, 'cloudConsentConfirmed'> {
  message?: string | undefined;
  conversationId?: string | undefined;
  priorAnalysis?: string | undefined;
}

/** A request, and the facts that it contains. */
export interface ComposedRequest {
  /** Epoch milliseconds. */
  from: number;
  to: number;
  language: Language;
  context: Context;
  request: OutgoingRequest;
}

export type Previews = ReturnType<typeof createPreviews>;

interface Stored {
  about: string;
  composed: ComposedRequest;
}

/** The latest `limits.aiPreviews`, for `limits.aiPreviewMs`, in memory. */
export function createPreviews(clock: Clock) {
  const stored = new ExpiringCache<Stored>(createSteadyClock(clock), limits.aiPreviews, () => limits.aiPreviewMs);
  return {
    /** Returns the id of the preview. */
    add(asked: QuestionInput, target: Target, composed: ComposedRequest) {
      const previewId = createId();
      stored.set(previewId, { about: toPreviewKey(asked, target), composed });
      return previewId;
    },
    /**
     * The request that the preview showed. Throws AppError `ai_preview_expired` when it is not stored any more, or when the
     * provider, model, period, source or message differs from it.
     */
    get(previewId: string, asked: QuestionInput, target: Target) {
      const found = stored.get(previewId);
      const { to, language } = asked;
      if (
        found?.about !== toPreviewKey(asked, target) ||
        (to !== undefined && to !== found.composed.to) ||
        (language !== undefined && language !== found.composed.language)
      ) {
        throw new AppError(
          'ai_preview_expired',
          `what was shown cannot be sent any more: it was more than ${limits.aiPreviewMs / 60_000} minutes ago, or another provider, period or question was chosen since; look at it again`,
        );
      }
      return found.composed;
    },
  };
}

/** What must be the same when a preview is sent. `get` compares the end of the period and the language: both may be absent. */
function toPreviewKey(
  { from, sourceKind, sourceId, message, conversationId, priorAnalysis }: QuestionInput,
  target: Target,
): string {
  const { provider, model, endpoint, region, guardrail } = target;
  const asked = [
    from,
    sourceKind ?? null,
    sourceId ?? null,
    message ?? null,
    conversationId ?? null,
    priorAnalysis ?? null,
  ];
  return JSON.stringify([provider, model, endpoint, region, guardrail, ...asked]);
}
