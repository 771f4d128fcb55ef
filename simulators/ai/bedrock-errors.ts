// How Bedrock says that a request is refused: a status, and the name of the exception in a header.
import type { Refusal } from './provider.ts';
import { asJson, type Reply } from './reply.ts';

const refusals: Readonly<Record<Refusal, readonly [status: number, exception: string]>> = {
  unauthorized: [403, 'UnrecognizedClientException'],
  forbidden: [403, 'AccessDeniedException'],
  'not-found': [404, 'UnknownOperationException'],
  'unknown-model': [400, 'ValidationException'],
  invalid: [400, 'ValidationException'],
  'too-long': [400, 'ValidationException'],
  'rate-limited': [429, 'ThrottlingException'],
  'server-error': [500, 'InternalServerException'],
  overloaded: [503, 'ServiceUnavailableException'],
};

export function refuseAsBedrock(refusal: Refusal, message: string): Reply {
  const [status, exception] = refusals[refusal];
  return refuseWithException(status, exception, message);
}

export function refuseWithException(status: number, exception: string, message: string): Reply {
  return asJson({ message }, status, { 'x-amzn-errortype': exception });
}
