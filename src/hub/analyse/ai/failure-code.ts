// What is stored and recorded of a request that got no answer.
import { toAppError } from '#kernel/http/failure.ts';
import { ClientGone } from '#kernel/http/when-closed.ts';

/** Of a request that the hub ended before its answer was there, and of a question that was without one at the next start. */
export const interrupted = 'interrupted';

/** `cancelled` when its client went away, `interrupted` when `signal` was aborted otherwise, else the code of the refusal. */
export function toFailureCode(error: unknown, signal: AbortSignal): string {
  if (error instanceof ClientGone) {
    return 'cancelled';
  }
  return signal.aborted && error === signal.reason ? interrupted : toAppError(error).code;
}
