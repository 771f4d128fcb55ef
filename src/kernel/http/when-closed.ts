// The end of a response: sent in full, or cut off because its client went away.
import type { ServerResponse } from 'node:http';

/** Why a call ended whose client did not wait for the answer: nobody is left to hear it, and nothing of the server failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client went away');
  }
}

/** Runs `work` once: when `response` is closed, or at once when it is closed already. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) {
    work();
    return;
  }
  response.once('close', work);
}
