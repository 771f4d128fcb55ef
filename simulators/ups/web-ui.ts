// What the simulated web UI answers to one request: the routes, rules and redirects of version 1.4.0.
import type { Armed } from '../support/armed-faults.ts';
import type { Call } from './call.ts';
import type { UpsFault } from './faults.ts';
import { morePaths } from './pages/battery-pages.ts';
import { duplicateSessionPage, errorPage } from './pages/error-pages.ts';
import type { PageSource, ServedPage } from './pages/page-source.ts';
import type { Look } from './pages/pages.ts';
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
  /** How the page of this call looks. */
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
  const { settings, sessions, source, take, note } = options;

  const page = ({ contentType, ...served }: ServedPage, more: Record<string, string> = {}): Reply => ({
    ...served,
    headers: { 'content-type': contentType, ...more },
  });
  const redirect = (call: Call, session: Session | null, target: string, more: Record<string, string> = {}): Reply => {
    const path = target.replace(/(?=\?|$)/, suffixOf(session));
    const location = settings.location === 'absolute' && call.host !== null ? `https://${call.host}${path}` : path;
    return { status: settings.redirectStatus, headers: { ...html, location, ...more }, body: '' };
  };
  /** Addresses carry the session until the client has shown its cookie. */
  const suffixOf = (session: Session | null) =>
    session && settings.urlRewriting && !session.joined ? `;${settings.cookieName.toLowerCase()}=${session.id}` : '';
  const cookieOf = (session: Session) => ({
    'set-cookie': `${settings.cookieName}=${session.id}; ${settings.cookieAttributes}`,
  });
  const localeOf = (session: Session | null): string => session?.locale ?? settings.locale;

  const isBusyFor = (session: Session): boolean => {
    const owner = sessions.owner();
    return settings.sessions === 'one' && owner !== null && owner !== session;
  };

  /** The session of the call, or a new one with the header that tells its cookie. */
  const joined = (known: Session | null): { session: Session; cookie: Record<string, string> } => {
    const session = known ?? sessions.create();
    return { session, cookie: known ? {} : cookieOf(session) };
  };

  const askToLogOn = (call: Call, known: Session | null): Reply => {
    const { session, cookie } = joined(known);
    session.savedPath = call.method === 'GET' ? call.path : null;
    return redirect(call, session, '/logon', cookie);
  };

  const status: Handler = (call, session) => {
    if (!session?.loggedOn) {
      return askToLogOn(call, session);
    }
    return page(source.status(localeOf(session), options.look(call), call.path));
  };

  const more: Handler = (call, session) =>
    session?.loggedOn ? page(source.more(localeOf(session), options.look(call), call.path)) : askToLogOn(call, session);

  const logon: Handler = (call, known) => {
    const { session, cookie } = joined(known);
    const isShown = isBusyFor(session) && (settings.busyOn !== 'post' || session.refusedAsBusy);
    const problem = sessions.isLocked() ? 'locked' : session.problem;
    session.problem = null;
    const token = take(call, 'form-token-missing') ? null : session.token;
    session.token = token ?? '';
    const shown = source.logon(
      {
        locale: localeOf(session),
        token,
        sessionSuffix: suffixOf(session),
        busy: isShown || (settings.busyElement === 'hidden' ? 'hidden' : false),
        problem,
      },
      options.look(call),
      call.path,
    );
    return page(shown, cookie);
  };

  const logOn: Handler = (call, known) => {
    const { session, cookie } = joined(known);
    const refuse = (reason: string, target: string) => {
      note('login-refused', { number: call.number, reason });
      return redirect(call, session, target, cookie);
    };
    const { form } = call;
    if (sessions.isLocked()) {
      return refuse('locked', '/accessdenied');
    }
    const tokenId = session.token === '' ? '' : '/logon_formtoken';
    if (
      settings.checksToken &&
      ((form.get('formtoken') ?? '') !== session.token || (form.get('formtokenid') ?? '') !== tokenId)
    ) {
      return refuse('wrong form token', '/logon?error=2');
    }
    if (settings.checksLoginText && form.get('login') !== source.loginText(localeOf(session))) {
      return refuse('wrong text of the login button', '/logon?error=2');
    }
    if (take(call, 'login-refused')) {
      session.problem = 'wrongPassword';
      return refuse('fault', '/logon?error=1');
    }
    if (form.get('j_username') !== settings.user || form.get('j_password') !== settings.password) {
      session.problem = 'wrongPassword';
      return refuse(sessions.countFailure() ? 'wrong password, now locked' : 'wrong password', '/logon?error=1');
    }
    if (isBusyFor(session) && settings.busyOn !== 'get') {
      session.refusedAsBusy = true;
      return refuse('somebody else is logged on', '/logon');
    }
    sessions.clearFailures();
    sessions.renew(session);
    sessions.logOn(session);
    note('login', { number: call.number, session: session.number });
    return redirect(call, session, session.savedPath ?? '/status', cookieOf(session));
  };

  const setLocale: Handler = (call, session) => {
    if (!session?.loggedOn) {
      return askToLogOn(call, session);
    }
    if (take(call, 'locale-logs-off')) {
      sessions.end(session);
      return redirect(call, null, '/logon');
    }
    const wanted = call.form.get('newLocale') ?? '';
    const target = call.form.get('targetURL') ?? '';
    const from = localeOf(session);
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
    return redirect(call, session, /^\/(?!\/)/.test(target) ? target : '/status');
  };

  const logOff: Handler = (call, session) => {
    const owner = sessions.owner();
    for (const ended of new Set([owner, session])) {
      if (ended) {
        sessions.end(ended);
      }
    }
    note('logoff', { number: call.number, session: session?.number ?? null, ended: owner?.number ?? null });
    return redirect(call, null, '/logon', { 'set-cookie': `${settings.cookieName}=; Path=/; Max-Age=0` });
  };

  const routes: Readonly<Record<string, Handler>> = {
    'GET /': (call, session) => redirect(call, session, '/status'),
    'GET /status': status,
    ...Object.fromEntries(morePaths.map((path) => [`GET ${path}`, more])),
    'GET /logon': logon,
    'GET /accessdenied': logon,
    'POST /j_security_check': logOn,
    'POST /setLocale': setLocale,
    'GET /logoff': logOff,
    'GET /css/ui.css': () => ({
      status: 200,
      headers: { 'content-type': 'text/css' },
      body: '.label{font-weight:bold}\n',
    }),
  };

  /** The session of the call, when it is still there after what a fault makes happen just before. */
  const afterIncidents = (call: Call, session: Session | null): Session | null => {
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
  };

  return (call) => {
    const ids = call.cookies.filter(({ name }) => name === settings.cookieName).map(({ value }) => value);
    const given = [...ids, ...(ids.length === 0 && call.sessionParameter !== null ? [call.sessionParameter] : [])];
    const [found = null, other] = [...new Set(given.flatMap((id) => sessions.find(id) ?? []))];
    const session = afterIncidents(call, found);
    if (session && other) {
      return errorReply(400, duplicateSessionPage(session.id, other.id));
    }
    if (session) {
      session.lastUsedAt = options.now();
    }
    const reply = routes[`${call.method} ${call.path}`]?.(call, session) ?? errorReply(404, errorPage(404, call.path));
    if (session && ids.includes(session.id)) {
      session.joined = true;
    }
    return reply;
  };
}

export function errorReply(status: number, body: string): Reply {
  return { status, headers: html, body };
}
