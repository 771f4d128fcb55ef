// What the simulated web UI answers to one request: the routes, rules and redirects of version 1.4.0.
import type { Armed } from '../support/armed-faults.ts';
import type { Call } from './call.ts';
import type { UpsFault } from './faults.ts';
import { morePaths } from './pages/battery-pages.ts';
import { duplicateSessionPage, errorPage } from './pages/error-pages.ts';
import type { LoginField } from './pages/login-form.ts';
import type { PageSource, ServedPage } from './pages/page-source.ts';
import type { LogonPage, Look } from './pages/pages.ts';
import type { Session, Sessions } from './sessions.ts';
import type { UpsSettings } from './settings.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Name of the encoding it is sent in; UTF-8 when absent. */
  characters?: string;
}

export interface WebUiOptions {
  settings: UpsSettings;
  sessions: Sessions;
  source: PageSource;
  look: (call: Call) => Look;
  /** Whether the fault shows in this call. */
  take: (call: Call, fault: UpsFault) => Armed<UpsFault> | null;
  now: () => number;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

type Handler = (call: Call, session: Session | null) => Reply;

/** Where a client asks for a page, as it does before and after logging on. */
const pages: ReadonlySet<string> = new Set(['/', '/status', '/logon']);

const html = { 'content-type': 'text/html;charset=utf-8' };

export function createWebUi(options: WebUiOptions): (call: Call) => Reply {
  const ui = new WebUi(options);
  return (call) => ui.answer(call);
}

class WebUi {
  readonly #options: WebUiOptions;
  readonly #routes: Readonly<Record<string, Handler>>;

  constructor(options: WebUiOptions) {
    this.#options = options;
    const writeMore: Handler = (call, session) => this.#showPage(call, session, options.source.more);
    const writeLogon: Handler = (call, session) => this.#showLogon(call, session);
    this.#routes = {
      'GET /': (call, session) => this.#redirect(call, session, '/status'),
      'GET /status': (call, session) => this.#showPage(call, session, options.source.status),
      ...Object.fromEntries(morePaths.map((path) => [`GET ${path}`, writeMore])),
      'GET /logon': writeLogon,
      'GET /accessdenied': writeLogon,
      'POST /j_security_check': (call, session) => this.#logOn(call, session),
      'POST /setLocale': (call, session) => this.#setLocale(call, session),
      'GET /logoff': (call, session) => this.#logOff(call, session),
      'GET /css/ui.css': () => ({
        status: 200,
        headers: { 'content-type': 'text/css' },
        body: '.label{font-weight:bold}\n',
      }),
    };
  }

  answer(call: Call): Reply {
    const { settings, sessions, now } = this.#options;
    const ids = call.cookies.filter(({ name }) => name === settings.cookieName).map(({ value }) => value);
    const given = ids.length === 0 && call.sessionParameter !== null ? [call.sessionParameter] : ids;
    const [found = null, other] = [...new Set(given.flatMap((id) => sessions.find(id) ?? []))];
    const session = this.#applyIncidents(call, found);
    if (session && other) {
      return errorReply(400, duplicateSessionPage(session.id, other.id));
    }
    if (session) {
      session.lastUsedAt = now();
    }
    const handler = this.#routes[`${call.method} ${call.path}`];
    const reply = handler?.(call, session) ?? errorReply(404, errorPage(404, call.path));
    if (session && ids.includes(session.id)) {
      session.joined = true;
    }
    return reply;
  }

  /** The session of the call, when it is still there after what a fault makes happen just before. */
  #applyIncidents(call: Call, session: Session | null): Session | null {
    const { sessions, take, note } = this.#options;
    if (session && take(call, 'session-expired')) {
      sessions.end(session);
      note('session-expired', { session: session.number, loggedOn: session.loggedOn });
      return null;
    }
    const isStolen = take(call, 'session-stolen') !== null;
    const isTaken = !session?.loggedOn && pages.has(call.path) && take(call, 'already-logged-on') !== null;
    if (isStolen || (isTaken && sessions.owner() === null)) {
      const stranger = sessions.create();
      sessions.logOn(stranger);
      note('login-elsewhere', { session: stranger.number });
    }
    return session && sessions.find(session.id);
  }

  /** A page for who is logged on; the others are sent to the login page. */
  #showPage(call: Call, session: Session | null, write: PageSource['status']): Reply {
    const { look } = this.#options;
    return session?.loggedOn
      ? toReply(write(this.#locale(session), look(call), call.path))
      : this.#askToLogOn(call, session);
  }

  #askToLogOn(call: Call, known: Session | null): Reply {
    const { session, cookie } = this.#join(known);
    session.savedPath = call.method === 'GET' ? call.path : null;
    return this.#redirect(call, session, '/logon', cookie);
  }

  #showLogon(call: Call, known: Session | null): Reply {
    const { settings, sessions, source, take, look } = this.#options;
    const { session, cookie } = this.#join(known);
    const isShown = this.#isBusyFor(session) && (settings.busyOn !== 'post' || session.refusedAsBusy);
    const problem = sessions.isLocked() ? 'locked' : session.problem;
    session.problem = null;
    const token = take(call, 'form-token-missing') ? null : session.token;
    session.token = token ?? '';
    const page: LogonPage = {
      locale: this.#locale(session),
      token,
      sessionSuffix: this.#addressSuffix(session),
      busy: isShown || (settings.busyElement === 'hidden' ? 'hidden' : false),
      problem,
    };
    return toReply(source.logon(page, look(call), call.path), cookie);
  }

  #logOn(call: Call, known: Session | null): Reply {
    const { sessions, note } = this.#options;
    const { session, cookie } = this.#join(known);
    const refusal = this.#refuseLogOn(call, session);
    if (refusal) {
      note('login-refused', { number: call.number, reason: refusal.reason });
      return this.#redirect(call, session, refusal.target, cookie);
    }
    sessions.clearFailures();
    sessions.renew(session);
    sessions.logOn(session);
    note('login', { number: call.number, session: session.number });
    return this.#redirect(call, session, session.savedPath ?? '/status', this.#cookie(session));
  }

  /** Why a login is refused and where that leads; null for one that is good. */
  #refuseLogOn(call: Call, session: Session): { reason: string; target: string } | null {
    const { settings, sessions, source, take } = this.#options;
    const { names, button } = source.loginForm(this.#locale(session));
    const form = (field: LoginField) => call.form.get(names[field]);
    if (sessions.isLocked()) {
      return { reason: 'locked', target: '/accessdenied' };
    }
    const tokenId = session.token === '' ? '' : '/logon_formtoken';
    const hasToken = (form('token') ?? '') === session.token && (form('tokenId') ?? '') === tokenId;
    if (settings.checksToken && !hasToken) {
      return { reason: 'wrong form token', target: '/logon?error=2' };
    }
    if (settings.checksLoginText && form('button') !== button) {
      return { reason: 'wrong text of the login button', target: '/logon?error=2' };
    }
    if (take(call, 'login-refused')) {
      session.problem = 'wrongPassword';
      return { reason: 'fault', target: '/logon?error=1' };
    }
    if (form('username') !== settings.user || form('password') !== settings.password) {
      session.problem = 'wrongPassword';
      const reason = sessions.countFailure() ? 'wrong password, now locked' : 'wrong password';
      return { reason, target: '/logon?error=1' };
    }
    if (this.#isBusyFor(session) && settings.busyOn !== 'get') {
      session.refusedAsBusy = true;
      return { reason: 'somebody else is logged on', target: '/logon' };
    }
    return null;
  }

  #setLocale(call: Call, session: Session | null): Reply {
    const { settings, sessions, take, note } = this.#options;
    if (!session?.loggedOn) {
      return this.#askToLogOn(call, session);
    }
    if (take(call, 'locale-logs-off')) {
      sessions.end(session);
      return this.#redirect(call, null, '/logon');
    }
    const wanted = call.form.get('newLocale') ?? '';
    const target = call.form.get('targetURL') ?? '';
    const from = this.#locale(session);
    // A saved page may say `en-US` where the form says `en`.
    const to =
      settings.locales.find((one) => one === wanted) ?? settings.locales.find((one) => one.split('-')[0] === wanted);
    if (take(call, 'locale-ignored')) {
      note('locale-ignored', { number: call.number, wanted });
    } else if (to !== undefined) {
      Object.assign(settings.localeScope === 'session' ? session : settings, { locale: to });
      note('locale', { number: call.number, from, to });
    } else {
      note('locale-unknown', { number: call.number, wanted });
    }
    return this.#redirect(call, session, /^\/(?!\/)/.test(target) ? target : '/status');
  }

  #logOff(call: Call, session: Session | null): Reply {
    const { settings, sessions, note } = this.#options;
    const owner = sessions.owner();
    for (const ended of new Set([owner, session])) {
      if (ended) {
        sessions.end(ended);
      }
    }
    note('logoff', { number: call.number, session: session?.number ?? null, ended: owner?.number ?? null });
    return this.#redirect(call, null, '/logon', { 'set-cookie': `${settings.cookieName}=; Path=/; Max-Age=0` });
  }

  #redirect(call: Call, session: Session | null, target: string, more: Record<string, string> = {}): Reply {
    const { settings } = this.#options;
    const path = target.replace(/(?=\?|$)/, this.#addressSuffix(session));
    const location = settings.location === 'absolute' && call.host !== null ? `https://${call.host}${path}` : path;
    return { status: settings.redirectStatus, headers: { ...html, location, ...more }, body: '' };
  }

  /** Addresses carry the session until the client has shown its cookie. */
  #addressSuffix(session: Session | null): string {
    const { settings } = this.#options;
    const isCarried = session && settings.urlRewriting && !session.joined;
    return isCarried ? `;${settings.cookieName.toLowerCase()}=${session.id}` : '';
  }

  #cookie(session: Session) {
    const { cookieName, cookieAttributes } = this.#options.settings;
    return { 'set-cookie': `${cookieName}=${session.id}; ${cookieAttributes}` };
  }

  #locale(session: Session): string {
    return session.locale ?? this.#options.settings.locale;
  }

  #isBusyFor(session: Session): boolean {
    const { settings, sessions } = this.#options;
    const owner = sessions.owner();
    return settings.sessions === 'one' && owner !== null && owner !== session;
  }

  /** The session of the call, or a new one with the header that sets its cookie. */
  #join(known: Session | null): { session: Session; cookie: Record<string, string> } {
    const session = known ?? this.#options.sessions.create();
    return { session, cookie: known ? {} : this.#cookie(session) };
  }
}

function toReply({ contentType, ...served }: ServedPage, more: Record<string, string> = {}): Reply {
  return { ...served, headers: { 'content-type': contentType, ...more } };
}

export function errorReply(status: number, body: string): Reply {
  return { status, headers: html, body };
}
