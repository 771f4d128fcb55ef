// A question of a conversation: stored before it is asked, answered once, and the same answer when its request comes again.
import { AppError } from '#kernel/errors.ts';
import { toAppError } from '#kernel/http/failure.ts';
import { ClientGone } from '#kernel/http/when-closed.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ComposedRequest } from '../analysis/previews.ts';
import type { Questions } from '../analysis/questions.ts';
import { findCitations } from '../citations/citations.ts';
import { interrupted, toFailureCode } from '../failure-code.ts';
import type { Generation, Generations } from '../generations.ts';
import type { Caller } from '../sending.ts';
import { toAskedWith } from './asked-with.ts';
import type { ReadTurns } from './history.ts';
import { type ChatBody, type ChatReply, type Place, toRepeatedReply } from './repeat.ts';
import { findContinuedConversation, findRequest, isPaid, type KnownRequest, refuseBeyondLimits } from './requests.ts';
import { appendAnswer, appendFailure, appendQuestion, type Subject } from './store.ts';

export interface ChatOptions {
  db: Pick<Db, 'prepare' | 'save'>;
  clock: Pick<Clock, 'now'>;
  log: Log;
  generations: Pick<Generations, 'begin'>;
  /** Makes the request. Rejects with AppErrors, as `Questions.compose`. */
  compose: Questions['compose'];
  readTurns: ReadTurns;
}

export type Chat = ReturnType<typeof createChat>;

interface Asked {
  caller: Caller;
  requestId: string;
}

/** The question that is being asked; at most one in the hub. */
interface PendingQuestion {
  requestId: string;
  /** Null until its question is stored. */
  conversationId: string | null;
  stop: AbortController;
  ended: Promise<void>;
}

const createStoppingError = () =>
  new AppError('not_ready', 'the hub is stopping: ask again with a new requestId when it has started');
const createDeletedError = () =>
  new AppError(
    'not_found',
    'the conversation was deleted while it was answered: leave conversationId out to begin one',
  );

export function createChat(options: ChatOptions) {
  const { db, clock, compose, readTurns } = options;
  let pending: PendingQuestion | null = null;
  let isEnding = false;

  const askNew = async (body: ChatBody, { caller, requestId }: Asked, signal: AbortSignal): Promise<ChatReply> => {
    if (isEnding) {
      throw createStoppingError();
    }
    const { generation, subject, conversationId } = beginGeneration(options, body, { caller, requestId });
    using _ = generation;
    const ended = Promise.withResolvers<void>();
    const own: PendingQuestion = { requestId, conversationId, stop: new AbortController(), ended: ended.promise };
    pending = own;
    try {
      const inner = AbortSignal.any([signal, own.stop.signal]);
      const history = conversationId === null ? [] : await readTurns(conversationId, inner);
      const composed = await compose({ input: body, builder: generation, history }, inner);
      inner.throwIfAborted();
      const question = toQuestion(body, { subject, requestId, composed });
      const stored = await db.save((writer) =>
        appendQuestion(writer, { ...question, at: clock.now() }, conversationId),
      );
      if (stored === null) {
        throw createDeletedError();
      }
      own.conversationId = stored;
      const about = { conversationId: stored, requestId, startedNewConversation: conversationId === null };
      return await askProvider(generation, composed, about, inner);
    } finally {
      pending = null;
      ended.resolve();
    }
  };

  const askProvider = async (
    generation: Generation,
    { request, context }: ComposedRequest,
    about: Place,
    signal: AbortSignal,
  ): Promise<ChatReply> => {
    const { requestId } = about;
    try {
      const { answer, kept } = await generation.ask({
        kind: 'chat',
        requestId,
        request,
        signal,
        keep: (writer, given) => appendAnswer(writer, given, findCitations(given.text, context)),
      });
      if (kept === null) {
        throw createDeletedError();
      }
      const { usage, pricing, estimatedCostUsd } = answer;
      return { success: true, ...about, message: kept, usage, pricing, estimatedCostUsd };
    } catch (error) {
      await storeFailure(options, requestId, isEnding ? interrupted : toFailureCode(error, signal));
      throw withRequestDetails(error, about);
    }
  };

  /** Stores a failure for a question that has no answer and is not being asked: the hub had ended, or its disk was full. */
  const settleAbandoned = async (known: KnownRequest, requestId: string): Promise<KnownRequest> => {
    if (known.answer !== null || pending?.requestId === requestId) {
      return known;
    }
    await db.save((writer) => appendFailure(writer, requestId, interrupted, clock.now()));
    return findRequest(db, requestId) ?? known;
  };

  return {
    async ask(given: ChatBody, caller: Caller, signal: AbortSignal) {
      // SQLite stores UTF-8, which has no lone surrogates: without them, a repeated message equals the stored one.
      const body = { ...given, message: given.message.toWellFormed() };
      const requestId = body.requestId ?? createId();
      try {
        const known = findRequest(db, requestId);
        return await (known
          ? settleAbandoned(known, requestId).then((settled) => toRepeatedReply(settled, requestId, body))
          : askNew(body, { caller, requestId }, signal));
      } catch (error) {
        throw withRequestDetails(error, {
          conversationId: body.conversationId ?? null,
          requestId,
          startedNewConversation: false,
        });
      }
    },
    /** Aborts the question that is being asked in this conversation, which was deleted. */
    drop(conversationId: string) {
      if (pending?.conversationId === conversationId) {
        pending.stop.abort(createDeletedError());
      }
    },
    async [Symbol.asyncDispose]() {
      isEnding = true;
      pending?.stop.abort(createStoppingError());
      await pending?.ended;
    },
  };
}

/**
 * Takes the one place for a generation, if the question can be stored. Synchronous: nothing can change between its checks
 * and the moment when the place is taken.
 */
function beginGeneration({ db, generations }: ChatOptions, body: ChatBody, { caller, requestId }: Asked) {
  if (isPaid(db, requestId)) {
    throw new AppError('ai_request_conflict', 'this requestId was used for another request: ask with a new one');
  }
  const generation = generations.begin({ confirmed: body.cloudConsentConfirmed === true, caller });
  try {
    const subject = toSubject(body, generation);
    const conversationId = findContinuedConversation(db, body.conversationId, subject);
    refuseBeyondLimits(db, conversationId);
    return { generation, subject, conversationId };
  } catch (error) {
    generation[Symbol.dispose]();
    throw error;
  }
}

/** When the disk refuses it, the question stays without an answer until the request is sent again or the hub restarts. */
async function storeFailure({ db, clock, log }: ChatOptions, requestId: string, code: string): Promise<void> {
  try {
    await db.save((writer) => appendFailure(writer, requestId, code, clock.now()));
  } catch (error) {
    log.error({ err: error, requestId, code }, 'that a question to the AI provider failed could not be stored');
  }
}

/** The question as it is stored. */
function toQuestion(
  body: ChatBody,
  { subject, requestId, composed }: { subject: Subject; requestId: string; composed: ComposedRequest },
) {
  const { from, to, language } = composed;
  const named = body.conversationId ?? null;
  return { ...subject, requestId, message: body.message, named, from, to, askedWith: toAskedWith(body, language) };
}

function toSubject({ sourceKind, sourceId }: ChatBody, { target }: Pick<Generation, 'target'>): Subject {
  const { provider, model } = target;
  return { provider, model, sourceKind: sourceKind ?? null, sourceId: sourceId ?? null };
}

/**
 * Adds to a refusal the request, and the conversation that its question is stored in
 * (docs/reference/wire-contract/4-endpoints.md#413-ai-chat).
 */
function withRequestDetails(error: unknown, about: { [K in keyof Place]: Place[K] | null }): unknown {
  if (error instanceof ClientGone) {
    return error;
  }
  const { code, message, details, headers, cause } = toAppError(error);
  return new AppError(code, message, { details: { ...about, ...details }, headers, cause });
}
