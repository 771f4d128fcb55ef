// The end of a response: sent in full, or cut off because its client went away.
import type { ServerResponse } from 'node:http';

/** The client closed the connection before the answer. Nobody receives this error, and the server did not fail. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client went away');
  }
}

/** The one such error: every request ends with it, and a trace of where it was made says nothing. */
export const clientGone = new ClientGone();

/** Runs `work` once: when `response` closes, or now if it is closed already. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) {
    work();
    return;
  }
  response.once('close', work);
}
