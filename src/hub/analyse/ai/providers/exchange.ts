// Sends one JSON request to a provider over HTTP, with a deadline, without redirects, for an answer of at most 1 MB.
// Every error says what to do.
import type { Dispatcher } from 'undici';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { type BoundedAnswer, boundedFetch } from '#kernel/http/bounded-fetch.ts';
import { ForbiddenTarget } from '#kernel/net/forbidden-target.ts';
import { type Clock, parseHttpDate } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { createFact, createRefusal, describeCode } from '../../../base/refusals.ts';
import {
  brokenJsonFault,
  isJson,
  toCutFault,
  toNotJsonFault,
  toOverloadedFault,
  tooLongFault,
  toRedirectFault,
} from './answer-faults.ts';
import {
  createFailedError,
  createKeyRejectedError,
  createLimitedError,
  createModelUnknownError,
  createPromptCutError,
  createQuotaError,
  createTimeoutError,
  inSettings,
  type Recipient,
} from './failure.ts';
import { isObject, type JsonObject, parseObject } from './json.ts';
import type { ModelAnswer, SendNotices, Usage } from './provider.ts';

export interface ProviderRequest {
  recipient: Recipient;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The question as JSON. Absent: the request lists the models. */
  body?: string;
  signal: AbortSignal;
  dispatcher?: Dispatcher | undefined;
  /** Absent when the request lists models, which costs nothing. */
  notices?: SendNotices;
}

/** Resolves to the JSON object of the answer. Rejects like `Provider.send`. */
export async function exchange(clock: Clock, request: ProviderRequest): Promise<JsonObject> {
  const { recipient, url, headers, body, signal, dispatcher, notices } = request;
  const timeoutMs = body === undefined ? limits.aiTestMs : limits.aiGenerationMs;
  const answer = await boundedFetch(clock, url, {
    method: body === undefined ? 'GET' : 'POST',
    body: body ?? null,
    timeoutMs,
    signal,
    dispatcher,
    onSent: notices?.onSent,
    onStatus: notices && countPaidOnSuccess(notices),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    maxBytes: body === undefined ? limits.aiTestBytes : limits.aiAnswerBytes,
    late: () => createTimeoutError(recipient, timeoutMs),
    tooLong: () => createFailedError(recipient, tooLongFault, chooseRemedy(recipient)),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof AppError ? error : toUnreachedError(recipient, new URL(url).host, error);
  });
  if (!isSuccess(answer.status)) {
    throw toStatusError(request, answer, clock.now());
  }
  return parseAnswerBody(recipient, answer);
}

/** Sends a question and reads its answer. Reports the usage before it examines the text: a refused answer costs too. */
export async function sendQuestion(
  clock: Clock,
  request: ProviderRequest & { notices: SendNotices },
  read: { usage(answer: JsonObject): Usage | null; answer(answer: JsonObject, usage: Usage | null): ModelAnswer },
): Promise<ModelAnswer> {
  const answer = await exchange(clock, request);
  const usage = read.usage(answer);
  request.notices.onUsage(usage);
  return read.answer(answer, usage);
}

/** Returns a listener for the status of an answer. A successful one counts as paid at once, with an unknown usage. */
export function countPaidOnSuccess({ onUsage }: SendNotices): (status: number) => void {
  return (status) => {
    if (isSuccess(status)) {
      onUsage(null);
    }
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function parseAnswerBody(recipient: Recipient, { status, headers, body }: BoundedAnswer): JsonObject {
  const type = String(headers['content-type'] ?? '');
  if (!isJson(type)) {
    throw createFailedError(recipient, toNotJsonFault(status, type), chooseRemedy(recipient));
  }
  const parsed = parseObject(body.toString('utf8'));
  if (parsed === null) {
    throw createFailedError(recipient, brokenJsonFault, chooseRemedy(recipient));
  }
  return parsed;
}

/** The error for a status other than 2xx. */
function toStatusError(
  { recipient, body: question }: ProviderRequest,
  { status, headers, body }: BoundedAnswer,
  now: number,
): AppError {
  const { words, code: reason } = parseErrorBody(body.toString('utf8'));
  if (status < 400) {
    return createFailedError(recipient, toRedirectFault(status), chooseRemedy(recipient));
  }
  if (status === 401 || status === 403) {
    return createKeyRejectedError(recipient, status);
  }
  if (reason === 'insufficient_quota') {
    return createQuotaError(recipient);
  }
  if (status === 429) {
    return createLimitedError(recipient, parseRetryAfter(headers, now), words);
  }
  if (reason === 'model_not_found' || (status === 404 && question !== undefined)) {
    return createModelUnknownError(recipient, words);
  }
  if (
    reason === 'context_length_exceeded' ||
    (status < 500 && /context|n_ctx|num_ctx|prompt is too long/i.test(words))
  ) {
    return createPromptCutError(recipient, words);
  }
  // 529 is not a registered status: some providers use it for overload.
  if (status === 529 || status === 503) {
    return createFailedError(recipient, toOverloadedFault(status, words), 'try again in a few minutes');
  }
  const values = { status };
  if (status >= 500) {
    const remedy = recipient.provider === 'local' ? 'look at its log' : 'try again later';
    return createFailedError(recipient, { code: 'ai_error', values, what: `failed (${status})`, words }, remedy);
  }
  const what = `refused the request (${status})`;
  return createFailedError(recipient, { code: 'ai_request_refused', values, what, words }, chooseRemedy(recipient));
}

/** Reads the body of an error: `{error: {message, code}}`, `{error: "…"}` or `{message: "…"}`. */
function parseErrorBody(text: string): { words: string; code: string | null } {
  const body = parseObject(text) ?? {};
  const error = isObject(body.error) ? body.error : body;
  const words = [error.message, body.error].find((value) => typeof value === 'string');
  return { words: words ?? '', code: typeof error.code === 'string' ? error.code : null };
}

/** Reads `Retry-After` (RFC 9110 10.2.3) as milliseconds from `now`; null when there is none, or none within a day. */
export function parseRetryAfter(headers: Readonly<Record<string, unknown>>, now: number): number | null {
  const text = String(headers['retry-after'] ?? '');
  const until = /^\d{1,5}$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text);
  const waitMs = until === null ? -1 : until - now;
  return waitMs >= 0 && waitMs <= dayMs ? waitMs : null;
}

/** The error when no answer came. It quotes only the code of the network's error: the message may reveal addresses. */
function toUnreachedError(recipient: Recipient, host: string, error: unknown): AppError {
  if (error instanceof ForbiddenTarget) {
    return createRefusal(
      'ai_endpoint_rejected',
      `${error.message}: correct the address of the local AI server ${inSettings}`,
      [createFact('ai_endpoint_forbidden', { host: error.host, address: error.address })],
      { cause: error },
    );
  }
  const code = isObject(error) && typeof error.code === 'string' ? error.code : '';
  if (
    /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_ABORTED)$/.test(code) ||
    code.startsWith('HPE_')
  ) {
    return createFailedError(recipient, toCutFault(code), 'try again', error);
  }
  const remedy =
    recipient.provider === 'local'
      ? `start it there, or correct its address ${inSettings}`
      : 'look whether this hub reaches the internet';
  const what = `cannot be reached at ${host} (${code || 'no connection'})`;
  const values = { host, ...describeCode(code) };
  return createFailedError(recipient, { code: 'ai_unreached', values, what }, remedy, error);
}

function chooseRemedy({ provider }: Recipient): string {
  return provider === 'local'
    ? `look ${inSettings}, whether its address is that of an OpenAI-compatible server`
    : 'try again later, and look whether a proxy changes what the hub receives';
}
