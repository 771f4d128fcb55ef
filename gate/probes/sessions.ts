// Ends the sessions that a server of era 2025-11-25 opens for the gate.
import { toMembers } from '../json.ts';
import { endSession } from '../mcp-messages.ts';
import type { Answer, Ask, Http } from '../target.ts';
import { getHeader } from './answer-headers.ts';

export interface Sessions {
  /** Returns an `Http` that remembers each session which an answer to `initialize` opens. */
  watch(http: Http): Http;
  /**
   * Asks the server to end the sessions that are open or being opened, each once. Resolves to how many of the run got no answer
   * to that. Never rejects.
   */
  end(): Promise<number>;
}

/** How long a stopped run waits for the answers about its sessions. */
const graceMs = 3000;

/** `stop` is the signal of the run: requests about sessions go on for three seconds after it. */
export function createSessions(stop?: AbortSignal): Sessions {
  const signal = createDelayedSignal(stop);
  const opening = new Set<Promise<Answer>>();
  const open: (() => Promise<unknown>)[] = [];
  const endings: Promise<unknown>[] = [];

  const openSession = async (http: Http, name: string, url: URL, ask: Ask) => {
    const answer = await http.ask(name, url, { ...ask, signal });
    const id = getHeader(answer, 'mcp-session-id');
    if (id !== '' && answer.status === 200) {
      const token = ask.token === undefined ? {} : { token: ask.token };
      open.push(() => http.ask('end-session', url, { ...endSession(id), ...token, signal }));
    }
    return answer;
  };
  return {
    watch: (http) => ({
      ...http,
      ask(name, url, ask) {
        if (toMembers(ask?.body).method !== 'initialize') {
          return http.ask(name, url, ask);
        }
        const answered = openSession(http, name, url, ask ?? {});
        const forget = () => opening.delete(answered);
        opening.add(answered);
        answered.then(forget, forget);
        return answered;
      },
    }),
    async end() {
      await Promise.allSettled(opening);
      // A server may refuse (405) or not answer: it then drops the session by itself, and no check is about that.
      endings.push(...open.splice(0).map((send) => send()));
      const results = await Promise.allSettled(endings);
      return results.filter(({ status }) => status === 'rejected').length;
    },
  };
}

/** A signal that is aborted `graceMs` after `stop`. */
function createDelayedSignal(stop?: AbortSignal): AbortSignal {
  const later = new AbortController();
  const wait = () => {
    const grace = AbortSignal.timeout(graceMs);
    grace.addEventListener('abort', () => later.abort(grace.reason), { once: true });
  };
  stop?.addEventListener('abort', wait, { once: true });
  return later.signal;
}
