// The faults that answer a request before the provider looks at it.
import { refuseWithException } from './bedrock-errors.ts';
import type { AiFault, Take } from './faults.ts';
import type { ProviderApi } from './provider.ts';
import type { Received } from './received.ts';
import type { Reply } from './reply.ts';

type Value = number | string | undefined;
type Answer = (api: ProviderApi, request: Received, value: Value) => Reply;

/** In the order in which they are looked for. */
const answers: readonly (readonly [AiFault, Answer])[] = [
  [
    'redirect',
    (_api, _request, value) => {
      const location = String(value ?? 'https://elsewhere.invalid/');
      return { status: 307, headers: { location }, body: '' };
    },
  ],
  [
    'unauthorized',
    ({ refuse }, { provider }, value) =>
      provider === 'cloud_c' && value !== undefined
        ? refuseWithException(403, String(value), 'The simulator refuses every signature.')
        : refuse('unauthorized', 'The simulator refuses every key.'),
  ],
  [
    'rate-limited',
    ({ refuse }, _request, value) => {
      const reply = refuse('rate-limited', 'Too many requests, please wait before trying again.');
      return { ...reply, headers: { ...reply.headers, 'retry-after': String(value ?? 30) } };
    },
  ],
  [
    'server-error',
    ({ refuse }, _request, value) => ({ ...refuse('server-error', 'Internal error.'), status: Number(value ?? 500) }),
  ],
  ['overloaded', ({ refuse }) => refuse('overloaded', 'Overloaded')],
];

/** The answer of the first such fault that is armed; null when none is. */
export function answerFault(api: ProviderApi, request: Received, take: Take): Reply | null {
  if (request.method === 'GET' && take('forbidden-list')) {
    return api.refuse('forbidden', `Not authorized to list: ${request.path}`);
  }
  if (request.method === 'POST' && take('too-long')) {
    return api.refuse('too-long', 'prompt is too long: it exceeds the context length of the model');
  }
  for (const [fault, answer] of answers) {
    const armed = take(fault);
    if (armed) {
      return answer(api, request, armed.value);
    }
  }
  return null;
}
