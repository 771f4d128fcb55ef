// The faults that answer a request before the provider looks at it.
import { answerFirst, type FaultAnswers } from '../support/fault-answers.ts';
import { refuseWithException } from './bedrock-errors.ts';
import type { AiFault, TakeFault } from './faults.ts';
import type { ProviderApi } from './provider.ts';
import type { AiRequest } from './received.ts';
import type { Reply } from './reply.ts';

const answers: FaultAnswers<AiFault, Reply, { api: ProviderApi; request: AiRequest }> = [
  [
    'redirect',
    (value) => ({ status: 307, headers: { location: String(value ?? 'https://elsewhere.invalid/') }, body: '' }),
  ],
  [
    'unauthorized',
    (value, { api, request }) =>
      request.provider === 'cloud_c' && value !== undefined
        ? refuseWithException(403, String(value), 'The simulator refuses every signature.')
        : api.refuse('unauthorized', 'The simulator refuses every key.'),
  ],
  [
    'rate-limited',
    (value, { api }) => {
      const reply = api.refuse('rate-limited', 'Too many requests, please wait before trying again.');
      return { ...reply, headers: { ...reply.headers, 'retry-after': String(value ?? 30) } };
    },
  ],
  [
    'server-error',
    (value, { api }) => ({ ...api.refuse('server-error', 'Internal error.'), status: Number(value ?? 500) }),
  ],
  ['overloaded', (_value, { api }) => api.refuse('overloaded', 'Overloaded')],
];

/** The answer of the first such fault that is armed; null when none is. */
export function answerFault(api: ProviderApi, request: AiRequest, take: TakeFault): Reply | null {
  if (request.method === 'GET' && take('forbidden-list')) {
    return api.refuse('forbidden', `Not authorized to list: ${request.path}`);
  }
  if (request.method === 'POST' && take('too-long')) {
    return api.refuse('too-long', 'prompt is too long: it exceeds the context length of the model');
  }
  return answerFirst(answers, take, { api, request });
}
