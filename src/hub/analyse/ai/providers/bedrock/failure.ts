// What errors of the AWS clients mean, by their names.
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { createFact, createRefusal, describeCode } from '../../../../base/refusals.ts';
import { brokenJsonFault, toCutFault, toOverloadedFault } from '../answer-faults.ts';
import { parseRetryAfter } from '../exchange.ts';
import {
  createFailedError,
  createLimitedError,
  createModelUnknownError,
  createPromptCutError,
  createReason,
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
      thrown.fault,
      'try again later, and look whether a proxy changes what the hub receives',
      thrown,
    );
  }
  if (withoutCredentials.test(name)) {
    return createRefusal(
      'ai_key_rejected',
      'the hub finds no credentials for AWS: give its process some that AWS accepts (environment, profile or role)',
      [createFact('aws_credentials_missing')],
      { cause: thrown },
    );
  }
  if (refusedCredentials.test(name)) {
    return createRefusal(
      'ai_key_rejected',
      `AWS refused the credentials of the hub (${name}): renew them (environment, profile or role)`,
      [createFact('aws_credentials_refused', { name })],
      { cause: thrown },
    );
  }
  if (name.startsWith('AccessDenied')) {
    const sentence = `AWS does not allow the credentials of the hub to do this (${name}${quoteProvider(recipient, words)}): allow bedrock:InvokeModel, with a guardrail bedrock:ApplyGuardrail too, and access to the model`;
    return createRefusal('ai_key_rejected', sentence, [createReason(recipient, 'aws_access_denied', { name }, words)], {
      cause: thrown,
    });
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
      { code: 'ai_guardrail_refused', what: 'refused the guardrail', words },
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
    return createFailedError(recipient, toCutFault(code || 'ECONNRESET'), 'try again', cause);
  }
  if (status === 503) {
    return createFailedError(recipient, toOverloadedFault(503, words), 'try again in a few minutes', cause);
  }
  if (status !== null && status >= 400) {
    const fault = { code: 'ai_error', values: { status, name }, what: `failed (${status} ${name})`, words } as const;
    return createFailedError(recipient, fault, 'try again later', cause);
  }
  if (status !== null || cause instanceof SyntaxError) {
    return createFailedError(recipient, brokenJsonFault, 'try again later', cause);
  }
  const fault = {
    code: 'ai_unreached',
    values: describeCode(code || name),
    what: `cannot be reached (${code || name})`,
  } as const;
  return createFailedError(recipient, fault, 'look whether this hub reaches the internet, and at the region', cause);
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
