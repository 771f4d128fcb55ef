// Ends the sessions that a server of era 2025-11-25 opens for the gate.
import { toMembers } from '../json.ts';
import { endSession } from '../mcp-messages.ts';
import type { Http } from '../target.ts';
import { getHeader } from './answer-headers.ts';

export interface Sessions {
  /** Returns an `Http` that remembers each session which an answer to `initialize` opens. */
  watch(http: Http): Http;
  /** Asks the server to end the sessions that are open, each once. Never rejects. */
  end(): Promise<void>;
}

export function createSessions(): Sessions {
  const open: (() => Promise<unknown>)[] = [];
  return {
    watch: (http) => ({
      ...http,
      async ask(name, url, ask) {
        const answer = await http.ask(name, url, ask);
        const id = getHeader(answer, 'mcp-session-id');
        if (id !== '' && answer.status === 200 && toMembers(ask?.body).method === 'initialize') {
          const token = ask?.token === undefined ? {} : { token: ask.token };
          open.push(() => http.ask('end-session', url, { ...endSession(id), ...token }));
        }
        return answer;
      },
    }),
    async end() {
      // A server may refuse (405) or not answer: it then drops the session by itself, and no check is about that.
      await Promise.allSettled(open.splice(0).map((send) => send()));
    },
  };
}
