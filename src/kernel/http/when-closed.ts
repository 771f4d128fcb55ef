// The end of a response: sent in full, or cut off because its client went away.
import type { ServerResponse } from 'node:http';

/** Runs `work` once: when `response` is closed, or at once when it is closed already. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) {
    work();
    return;
  }
  response.once('close', work);
}
