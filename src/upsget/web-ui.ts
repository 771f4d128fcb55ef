// Requests pages of the web UI: follows redirects within it, and turns other responses into failures.
import { Failure, SessionLost } from './failure.ts';
import { limits } from './limits.ts';
import { type Page, parsePage } from './page.ts';
import { withGracePeriod } from './signals.ts';
import type { CallOptions, WebAnswer, WebClient } from './web-client.ts';

export type Form = Readonly<Record<string, string>>;

export interface WebUi {
  /** GET, following redirects. */
  show(path: string, signal: AbortSignal): Promise<Page>;
  /** GET; a redirect is returned, not followed. */
  get(path: string, options: CallOptions): Promise<WebAnswer>;
  /** POST; a redirect is returned, not followed. */
  post(path: string, form: Form, options: CallOptions): Promise<WebAnswer>;
  /** POST with a grace period after `signal` aborts: only the response shows what to undo. */
  change(path: string, form: Form, signal: AbortSignal): Promise<WebAnswer>;
  readonly answered: boolean;
}

export function createWebUi(client: WebClient): WebUi {
  let answered = false;
  const call = async (...parts: Parameters<WebClient['call']>) => {
    const answer = await client.call(...parts);
    answered = true;
    return answer;
  };
  const ui: WebUi = {
    get answered() {
      return answered;
    },
    get: (path, options) => call({ method: 'GET', path }, options),
    post: (path, form, options) => call({ method: 'POST', path, form }, options),
    async change(path, form, signal) {
      using grace = withGracePeriod(signal, limits.graceMs);
      const answer = await ui.post(path, form, { signal: grace.signal });
      signal.throwIfAborted();
      return answer;
    },
    async show(path, signal) {
      let at = path;
      for (let step = 0; step <= limits.redirects; step++) {
        const answer = await ui.get(at, { signal });
        if (answer.redirect === null) {
          return toPage(answer, at);
        }
        at = checkRedirect(answer.redirect);
      }
      throw new Failure(`the UPS redirects in a circle, more than ${limits.redirects} times`);
    },
  };
  return ui;
}

/** Parses the page of a response. Throws when it is none. */
export function toPage(answer: WebAnswer, path: string): Page {
  if (answer.status === 400 && /session cookies/i.test(answer.body)) {
    throw new SessionLost('invalid session: the UPS takes our session cookies for two sessions; try again');
  }
  if (answer.status < 200 || answer.status > 299) {
    throw new Failure(`the UPS answered ${barePath(path)} with ${answer.status} ${answer.statusText}`.trimEnd());
  }
  return parsePage(answer.body);
}

/** The path without query and session parameter; empty without a redirect. */
export function barePath(target: string | null): string {
  return target?.replace(/[;?#].*$/, '') ?? '';
}

function checkRedirect(target: string): string {
  const path = barePath(target);
  if (path === '/accessdenied') {
    // Requesting that page repeatedly locks old versions of the web UI.
    throw new Failure('the UPS denies access: the account may be locked; wait some minutes and log on by hand');
  }
  if (!['/', '/status', '/logon'].includes(path)) {
    throw new Failure(`the UPS redirects to ${path}, which is neither its status nor its login page`);
  }
  return target;
}
