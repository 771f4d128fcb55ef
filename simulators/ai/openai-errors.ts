// How OpenAI, and servers compatible with it, say that a request is refused.
import type { Refusal } from './provider.ts';
import { asJson, type Reply } from './reply.ts';

const refusals: Readonly<Record<Refusal, readonly [status: number, type: string, code: string | null]>> = {
  unauthorized: [401, 'invalid_request_error', 'invalid_api_key'],
  forbidden: [403, 'invalid_request_error', 'insufficient_permissions'],
  'not-found': [404, 'invalid_request_error', null],
  'unknown-model': [404, 'invalid_request_error', 'model_not_found'],
  invalid: [400, 'invalid_request_error', null],
  'too-long': [400, 'invalid_request_error', 'context_length_exceeded'],
  'rate-limited': [429, 'requests', 'rate_limit_exceeded'],
  'server-error': [500, 'server_error', null],
  overloaded: [503, 'service_unavailable_error', null],
};

export function refuseAsOpenAi(refusal: Refusal, message: string): Reply {
  const [status, type, code] = refusals[refusal];
  return asJson({ error: { message, type, param: null, code } }, status);
}

/** Rows of `GET /v1/models`. */
export function openAiModels(ids: readonly string[], owner: string): object {
  return { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1_780_272_000, owned_by: owner })) };
}
