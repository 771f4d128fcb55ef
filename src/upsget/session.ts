// A session with the web UI: log on, read in English, restore the language, log off
// (docs/reference/ups-reader.md#4-command-line-and-web-ui).
import { Failure, LoginFailure, SessionLost } from './failure.ts';
import { limits } from './limits.ts';
import { type Page, parsePage } from './page.ts';
import {
  describeUnexpectedPage,
  findLoginField,
  isEnglish,
  isLoginPage,
  isStatusPage,
  isTakenPage,
} from './page-kind.ts';
import { withGracePeriod } from './signals.ts';
import type { WebAnswer, WebClient } from './web-client.ts';
import { barePath, createWebUi, type Form, toPage, type WebUi } from './web-ui.ts';

export interface SessionOptions {
  client: WebClient;
  username: string;
  password: string;
  /** Does not log off another user. */
  polite: boolean;
  /** The language that a killed run did not restore. */
  unrestored: string | null;
  /** Called with the language before it is changed, and with null once it is restored. */
  onLocale: (locale: string | null) => void;
}

export interface Session {
  /** Logs on when needed, switches to English, and resolves to the status page. Retries once after a conflict. */
  open(signal: AbortSignal): Promise<Page>;
  /** Restores the language and logs off; resolves to the sentences about what failed. */
  close(ending: Ending): Promise<string[]>;
}

export interface Ending {
  signal: AbortSignal;
  /** When aborted, shortens the timeout of the current and all later requests. */
  hurry: AbortSignal;
}

type Sender = (path: string, form: Form, signal: AbortSignal) => Promise<WebAnswer>;

const politeRefusal = 'somebody is logged on to the UPS and --polite leaves them alone; try again later';

export function createSession(options: SessionOptions): Session {
  return new UpsSession(options);
}

class UpsSession implements Session {
  readonly #options: SessionOptions;
  readonly #ui: WebUi;
  /** One retry for all kinds of conflicts together, which rules out a loop of logins. */
  #retriesLeft = 1;
  #loggedOn = false;
  #passwordAccepted = false;
  #original: string | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ui = createWebUi(options.client);
  }

  async open(signal: AbortSignal): Promise<Page> {
    try {
      return await this.#read(signal);
    } catch (error) {
      if (error instanceof SessionLost && this.#retriesLeft > 0) {
        this.#retriesLeft -= 1;
        this.#options.client.cookies.clear();
        return await this.#read(signal);
      }
      throw error;
    }
  }

  async close(ending: Ending): Promise<string[]> {
    const undone: string[] = [];
    if (this.#original !== null && !(await this.#restoreLanguage(this.#original, ending))) {
      undone.push(`the display language could not be set back to ${this.#original}; set it in the web UI`);
    }
    if (this.#options.polite ? this.#loggedOn : this.#ui.answered) {
      const isOff = async () => (await callInCleanup((calling) => this.#ui.get('/logoff', calling), ending)) !== null;
      if (!(await isOff()) && !(await isOff())) {
        undone.push('upsget could not log off; the UPS ends the session by itself after 15 minutes');
      }
    }
    return undone;
  }

  async #read(signal: AbortSignal): Promise<Page> {
    const first = await this.#ui.show('/status', signal);
    const page = isTakenPage(first) ? await this.#takeOver(signal) : first;
    if (!isStatusPage(page)) {
      return await this.#switchToEnglish(await this.#logOn(page, signal), signal);
    }
    this.#loggedOn = true;
    return await this.#switchToEnglish(page, signal);
  }

  /** Logs off another user once; the login continues when every login page has the element. */
  async #takeOver(signal: AbortSignal): Promise<Page> {
    if (this.#options.polite) {
      // This session is over: logging off now would log off the other user.
      this.#loggedOn = false;
      throw new Failure(politeRefusal);
    }
    await this.#ui.get('/logoff', { signal });
    return await this.#ui.show('/status', signal);
  }

  async #logOn(form: Page, signal: AbortSignal): Promise<Page> {
    const answer = await this.#postLogin(form, signal, this.#ui.change);
    const where = barePath(answer.redirect);
    const page = answer.redirect === null ? toPage(answer, '/j_security_check') : null;
    if (where === '/logon' || where === '/accessdenied' || (page && isLoginPage(page))) {
      this.#loggedOn = false;
      return await this.#handleRefusal(form, answer, signal);
    }
    const status = await this.#ui.show('/status', signal);
    if (!isStatusPage(status)) {
      throw describeUnexpectedPage(status);
    }
    this.#passwordAccepted = true;
    return status;
  }

  async #postLogin(form: Page, signal: AbortSignal, send: Sender): Promise<WebAnswer> {
    if (!isLoginPage(form)) {
      throw describeUnexpectedPage(form);
    }
    this.#loggedOn = true;
    const [button, token, tokenId] = (['button', 'token', 'tokenId'] as const).map((field) =>
      findLoginField(form, field),
    ) as [string, string, string];
    const fields = {
      [findLoginField(form, 'username')]: this.#options.username,
      [findLoginField(form, 'password')]: this.#options.password,
      [button]: form.fields.get(button) || 'Log On',
      [token]: form.fields.get(token) ?? '',
      [tokenId]: form.fields.get(tokenId) ?? '',
    };
    return await send('/j_security_check', fields, signal);
  }

  /** Logs on. When another user was faster, and only then, the login is sent once more. */
  async #handleRefusal(form: Page, answer: WebAnswer, signal: AbortSignal): Promise<Page> {
    const denied = barePath(answer.redirect) === '/accessdenied';
    const page = denied
      ? null
      : answer.redirect === null
        ? parsePage(answer.body)
        : await this.#ui.show(answer.redirect, signal);
    if (!page || !isTakenPage(page)) {
      throw new LoginFailure(
        `login failed: the UPS did not accept user name and password${denied ? ' (access denied)' : ''}. Check them, and wait some minutes if the account may be locked; upsget does not try them again`,
      );
    }
    if (isTakenPage(form)) {
      throw new LoginFailure(
        'login failed: somebody else stays logged on to the UPS, or user name and password are wrong; upsget does not try them again',
      );
    }
    if (this.#options.polite) {
      throw new Failure(politeRefusal);
    }
    if (this.#retriesLeft === 0) {
      throw new SessionLost('invalid session: somebody else keeps logging on to the UPS; try again later');
    }
    this.#retriesLeft -= 1;
    return await this.#logOn(await this.#takeOver(signal), signal);
  }

  async #switchToEnglish(page: Page, signal: AbortSignal): Promise<Page> {
    if (isEnglish(page)) {
      this.#original ??= this.#options.unrestored;
      return page;
    }
    this.#original ??= page.lang ?? '';
    this.#options.onLocale(this.#original);
    const answer = await this.#ui.change('/setLocale', { newLocale: 'en', targetURL: '/status' }, signal);
    const english =
      answer.redirect === null ? toPage(answer, '/setLocale') : await this.#ui.show(answer.redirect, signal);
    if (!isStatusPage(english)) {
      throw describeUnexpectedPage(english);
    }
    if (!isEnglish(english)) {
      throw new Failure(
        `the UPS did not switch from "${english.lang}" to English; only its English values can be read`,
      );
    }
    return english;
  }

  /** Tries twice: a lost session is renewed with the credentials that were accepted before. */
  async #restoreLanguage(locale: string, ending: Ending): Promise<boolean> {
    const form = { newLocale: locale, targetURL: '/status' };
    const attempt = () => callInCleanup((calling) => this.#ui.post('/setLocale', form, calling), ending);
    let answer = await attempt();
    if (!isRestored(answer)) {
      if (answer && this.#passwordAccepted) {
        await ignoreErrors(() => this.#logOnAgain(ending.signal));
      }
      answer = await attempt();
    }
    if (isRestored(answer)) {
      this.#options.onLocale(null);
      return true;
    }
    return false;
  }

  async #logOnAgain(signal: AbortSignal): Promise<void> {
    this.#options.client.cookies.clear();
    const first = await this.#ui.show('/status', signal);
    const page = isTakenPage(first) ? await this.#takeOver(signal) : first;
    await this.#postLogin(page, signal, (path, fields) =>
      this.#ui.post(path, fields, { signal, limitMs: limits.cleanupRequestMs }),
    );
  }
}

function isRestored(answer: WebAnswer | null): boolean {
  return (
    answer !== null &&
    answer.status < 400 &&
    !['/logon', '/accessdenied'].includes(barePath(answer.redirect)) &&
    !isLoginPage(parsePage(answer.body))
  );
}

/** One request of the cleanup, with a short timeout; null when it failed. */
function callInCleanup(
  call: (options: { signal: AbortSignal; limitMs: number }) => Promise<WebAnswer>,
  { signal, hurry }: Ending,
): Promise<WebAnswer | null> {
  return ignoreErrors(async () => {
    using grace = withGracePeriod(hurry, limits.hurriedRequestMs);
    const answer = await call({
      signal: AbortSignal.any([signal, grace.signal]),
      limitMs: limits.cleanupRequestMs,
    });
    return answer.status < 500 ? answer : null;
  });
}

/** Null for an exception: the cleanup ignores exceptions (docs/reference/ups-reader.md#7-errors). */
async function ignoreErrors<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
