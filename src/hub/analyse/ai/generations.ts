// Questions to the chosen provider, one at a time in the whole hub. The usage is stored with what is kept of the answer, in one
// transaction.
import type { AiPricing, AiUsage } from '#contract/ai-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { createUnderWay } from '#kernel/time/under-way.ts';
import type { Base } from '../../base/feature.ts';
import { toVisibleAnswer } from './answer-text.ts';
import { type AiSettings, requireConsent, resolveQuestionTarget } from './choice.ts';
import { toFailureCode } from './failure-code.ts';
import { computeCost, type PriceList, toAiPricing } from './pricing/price.ts';
import type { Prompt } from './prompt.ts';
import type { ModelAnswer, OutgoingRequest, Providers, Target, Usage } from './providers/provider.ts';
import { type Caller, createSend, type SendingOptions } from './sending.ts';
import { appendUsage, type RequestKind, type UsedRequest } from './usage/usage-log.ts';

export interface GenerationsOptions
  extends Pick<Base, 'clock' | 'db' | 'log' | 'offline'>,
    Pick<SendingOptions, 'auth'> {
  /** Read when a generation begins. */
  settings: () => AiSettings;
  providers: Providers;
  prices: PriceList;
}

export interface Answer {
  requestId: string;
  provider: Target['provider'];
  model: string;
  /** Lines of visible characters. */
  text: string;
  /** The answer was cut at the limit of its length. */
  truncated: boolean;
  /** Epoch milliseconds. */
  generatedAt: number;
  /** Null when the provider sent no usage that can be read. */
  usage: AiUsage | null;
  /** Null when the catalog has no price of this model. */
  pricing: AiPricing | null;
  pricingVersion: string;
  /** USD; null when it is not known. */
  estimatedCostUsd: number | null;
}

export interface Question<T> {
  kind: RequestKind;
  /** A UUID: names the request in the log of usage. */
  requestId: string;
  request: OutgoingRequest;
  signal?: AbortSignal | undefined;
  /** Stores what the answer is for, in the transaction that stores its usage. */
  keep: (writer: Writer, answer: Answer) => T;
}

/** The hub has one place for a generation; its holder may ask. Disposal frees the place. */
export interface Generation extends Disposable {
  readonly target: Target;
  /** What `ask` would send for this prompt. */
  buildRequest(prompt: Prompt): OutgoingRequest;
  /**
   * Sends the request as `Send`. Resolves when the answer is stored durably. What an answer used is stored also when it is
   * refused, cannot be read, comes too late or cannot be stored. Rejects as `Send`, as `Db.save`, and with AppError
   * `not_ready` when the hub stops.
   */
  ask<T>(question: Question<T>): Promise<{ answer: Answer; kept: T }>;
}

export interface Generations {
  /**
   * Takes the place for `caller`; null is the hub itself. Throws the AppErrors of `resolveQuestionTarget`, `ai_consent_required`
   * unless it is `confirmed` that this request is sent to a cloud provider, `ai_busy` when the place is taken, and `not_ready`
   * after `end`.
   */
  begin(options: { confirmed: boolean; caller: Caller | null }): Generation;
  /** The provider as it would be asked now, without taking the place. Throws as `resolveQuestionTarget`. */
  target(): Target;
  buildRequest(target: Target, prompt: Prompt): OutgoingRequest;
  isBusy(): boolean;
  /** Aborts the question that is being asked, and refuses others. Resolves when that question has ended. */
  end(): Promise<void>;
}

const createStoppingError = () => new AppError('not_ready', 'the hub is stopping: ask again when it has started');

export function createGenerations(options: GenerationsOptions): Generations {
  const { clock, db, log, offline, settings, providers, prices } = options;
  const send = createSend(options);
  const asks = createUnderWay();
  const stop = new AbortController();
  let taken: symbol | null = null;
  const buildRequest = (target: Target, prompt: Prompt) => providers[target.provider].buildRequest(target, prompt);

  const ask = async <T>(
    about: { target: Target; caller: Caller | null },
    { kind, requestId, request, keep, ...question }: Question<T>,
  ) => {
    const { target } = about;
    const signal = question.signal ? AbortSignal.any([question.signal, stop.signal]) : stop.signal;
    const stated: { usage?: Usage | null } = {};
    const onUsage = (usage: Usage | null) => {
      stated.usage = usage;
    };
    try {
      const answered = await send({ ...about, kind, requestId, request, signal, onUsage });
      const used = toUsedRequest({ requestId, kind, target, usage: answered.usage, errorCode: null });
      const answer = toAnswer(answered, used);
      const kept = await db.save((writer) => {
        appendUsage(writer, used);
        return keep(writer, answer);
      });
      return { answer, kept };
    } catch (error) {
      const { usage } = stated;
      if (usage !== undefined) {
        await storeUnanswered(
          toUsedRequest({ requestId, kind, target, usage, errorCode: toFailureCode(error, signal) }),
        );
      }
      throw error;
    }
  };

  const toUsedRequest = (request: Omit<UsedRequest, 'at' | 'pricingVersion' | 'price' | 'cost'>): UsedRequest => {
    const at = clock.now();
    const price = prices.find(request.target.provider, request.target.model, at);
    return { ...request, at, pricingVersion: prices.version, price, cost: computeCost(request.usage, price) };
  };

  /** The caller learns why there is no answer, also when the disk refuses this row. */
  const storeUnanswered = async (used: UsedRequest) => {
    try {
      await db.save((writer) => appendUsage(writer, used));
    } catch (error) {
      const { requestId, usage, errorCode } = used;
      log.error({ err: error, requestId, usage, errorCode }, 'what the AI provider counted could not be stored');
    }
  };

  return {
    begin({ confirmed, caller }) {
      stop.signal.throwIfAborted();
      const current = settings();
      const target = resolveQuestionTarget(current, offline);
      requireConsent(current, target, confirmed);
      if (taken !== null) {
        throw new AppError('ai_busy', 'another answer is being made: wait until it is there, at most 30 s');
      }
      const own = Symbol('generation');
      taken = own;
      return {
        target,
        buildRequest: (prompt) => buildRequest(target, prompt),
        ask: (question) => asks.track(ask({ target, caller }, question)),
        [Symbol.dispose]() {
          taken = taken === own ? null : taken;
        },
      };
    },
    target: () => resolveQuestionTarget(settings(), offline),
    buildRequest,
    isBusy: () => taken !== null,
    async end() {
      stop.abort(createStoppingError());
      await asks.settled();
    },
  };
}

function toAnswer(answered: ModelAnswer, { requestId, target, at, price, cost, pricingVersion }: UsedRequest): Answer {
  const { text, isCut } = toVisibleAnswer(answered.text);
  return {
    requestId,
    provider: target.provider,
    model: target.model,
    text,
    truncated: answered.truncated || isCut,
    generatedAt: at,
    usage: answered.usage && toAiUsage(answered.usage),
    pricing: price && toAiPricing(price),
    pricingVersion,
    estimatedCostUsd: cost,
  };
}

function toAiUsage({ input, output, total }: Usage): AiUsage {
  return { inputTokens: input, outputTokens: output, totalTokens: total };
}
