// What errors of the AWS clients mean, by their names.
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { parseRetryAfter } from '../exchange.ts';
import {
  createFailedError,
  createLimitedError,
  createModelUnknownError,
  createPromptCutError,
  createTimeoutError,
  inSettings,
  quoteProvider,
  type Recipient,
} from '../failure.ts';
import { isObject } from '../json.ts';
import { UnreadableAnswer } from './clients.ts';

const refusedCredentials =
  /^(?:UnrecognizedClient|InvalidSignature|MissingAuthenticationToken|InvalidClientTokenId|IncompleteSignature|SignatureDoesNotMatch|ExpiredToken|UnauthorizedSSOToken|OptInRequired)/;
const withoutCredentials = /^(?:CredentialsProviderError|TokenProviderError|ProviderError)$/;
const throttled = /^(?:Throttling|TooManyRequests|ServiceQuotaExceeded|RequestLimitExceeded)/;

/** What `thrown` by a client means; `now` in epoch milliseconds. */
export function toProviderError(recipient: Recipient, thrown: unknown, now: number): AppError {
  const { name, code, status, headers } = readErrorFacts(thrown);
  const words = messageOf(thrown);
  if (thrown instanceof AppError) {
    return thrown;
  }
  if (thrown instanceof UnreadableAnswer) {
    return createFailedError(
      recipient,
      thrown.what,
      'try again later, and look whether a proxy changes what the hub receives',
      thrown,
    );
  }
  if (withoutCredentials.test(name)) {
    return createCredentialsError(
      'the hub finds no credentials for AWS: give its process some that AWS accepts (environment, profile or role)',
      thrown,
    );
  }
  if (refusedCredentials.test(name)) {
    return createCredentialsError(
      `AWS refused the credentials of the hub (${name}): renew them (environment, profile or role)`,
      thrown,
    );
  }
  if (name.startsWith('AccessDenied')) {
    const sentence = `AWS does not allow the credentials of the hub to do this (${name}${quoteProvider(recipient, words)}): allow bedrock:InvokeModel, with a guardrail bedrock:ApplyGuardrail too, and access to the model`;
    return createCredentialsError(sentence, thrown);
  }
  if (throttled.test(name) || (status === 429 && name !== 'ModelNotReadyException')) {
    return createLimitedError(recipient, parseRetryAfter(headers, now), words);
  }
  if (name === 'ModelTimeoutException' || code === 'ETIMEDOUT') {
    return createTimeoutError(recipient, limits.aiGenerationMs);
  }
  return (
    toInvalidRequestError(recipient, name, words) ?? toUnexpectedError(recipient, { name, code, status }, words, thrown)
  );
}

/** What is wrong with the request; null when nothing is said to be. */
function toInvalidRequestError(recipient: Recipient, name: string, words: string): AppError | null {
  if (name !== 'ValidationException' && name !== 'ResourceNotFoundException') {
    return null;
  }
  if (/guardrail/i.test(words)) {
    return createFailedError(
      recipient,
      `refused the guardrail${quoteProvider(recipient, words)}`,
      `choose another one, or none, ${inSettings}`,
    );
  }
  if (/too long|context|input tokens/i.test(words)) {
    return createPromptCutError(recipient, words);
  }
  return name === 'ResourceNotFoundException' || /model|inference profile/i.test(words)
    ? createModelUnknownError(recipient, words)
    : null;
}

function toUnexpectedError(
  recipient: Recipient,
  { name, code, status }: Pick<Facts, 'name' | 'code' | 'status'>,
  words: string,
  cause: unknown,
): AppError {
  if (/^(?:ECONNRESET|EPIPE)$/.test(code) || /^(?:aborted|socket hang up|premature)/i.test(words)) {
    return createFailedError(recipient, `broke off its answer (${code || 'ECONNRESET'})`, 'try again', cause);
  }
  if (status === 503) {
    return createFailedError(
      recipient,
      `has too much to do (503)${quoteProvider(recipient, words)}`,
      'try again in a few minutes',
      cause,
    );
  }
  if (status !== null && status >= 400) {
    return createFailedError(
      recipient,
      `failed (${status} ${name})${quoteProvider(recipient, words)}`,
      'try again later',
      cause,
    );
  }
  if (status !== null || cause instanceof SyntaxError) {
    return createFailedError(recipient, 'answered with something that is no whole JSON', 'try again later', cause);
  }
  const what = `cannot be reached (${code || name})`;
  return createFailedError(recipient, what, 'look whether this hub reaches the internet, and at the region', cause);
}

function createCredentialsError(sentence: string, cause: unknown): AppError {
  return new AppError('ai_key_rejected', sentence, { cause });
}

type Facts = ReturnType<typeof readErrorFacts>;

function readErrorFacts(thrown: unknown) {
  const error: object = typeof thrown === 'object' && thrown !== null ? thrown : {};
  const { name, code, $metadata, $response } = error as Record<string, unknown>;
  const status = isObject($metadata) ? $metadata.httpStatusCode : undefined;
  const headers = isObject($response) && isObject($response.headers) ? $response.headers : {};
  return {
    name: typeof name === 'string' ? name : '',
    /** Of the network; empty without one. */
    code: typeof code === 'string' ? code : '',
    /** Of the answer; null without one. */
    status: typeof status === 'number' ? status : null,
    headers: headers as Readonly<Record<string, string>>,
  };
}
