// Browser login through any standard OIDC issuer: authorization code with PKCE, state and nonce
// (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc). It knows neither cookies nor sessions, and stores no
// e-mail address.
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { hashToken, matchesHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createFact, createRefusal, listFacts } from '../../refusals.ts';
import { admit, hashSubject, type OidcRole, validateClaims } from './admission.ts';
import { createConfiguration, exchangeCode } from './exchange.ts';
import { createIssuerFetch } from './fetch.ts';
import { createOidcFlows, type OidcFlow } from './flows.ts';
import { createOidcIssuer } from './issuer.ts';
import { asksForAccount, unusable } from './metadata.ts';
import type { OidcSettings } from './settings.ts';

export interface OidcLoginOptions {
  clock: Clock;
  settings: () => OidcSettings;
  /** Where browsers reach the hub, with the sub-path; null: not configured, so there is no OIDC login. */
  publicUrl: () => URL | null;
  log: Pick<Log, 'info' | 'warn'>;
  /** Offline mode: no request leaves the hub. */
  offline?: () => boolean;
}

export interface OidcLogin {
  /** Where to send the browser at `address`, and the state for its cookie. Rejects with AppError 503. */
  start(options?: { returnTo?: string | undefined; address?: string }): Promise<{ location: string; state: string }>;
  /** Who came back. `url` is the callback with its query. Rejects with AppError 401, one code for each reason. */
  finish(callback: { url: URL; stateCookie: string | undefined }): Promise<OidcPerson>;
  /** Fetches discovery and keys of the issuer again. Rejects with AppError `oidc_test_failed` (502). */
  test(): Promise<{ issuer: string }>;
}

export interface OidcPerson {
  /** SHA-256 of `issuer|sub`. */
  subject: string;
  role: OidcRole;
  /** Throws AppError 401 when the settings no longer let this person in, or in another role. */
  confirm: () => void;
  /** The path that was given to `start`. */
  returnTo: string | null;
}

const callbackPath = '/api/auth/oidc/callback';

export function createOidcLogin(options: OidcLoginOptions): OidcLogin {
  const { clock, settings, publicUrl, log } = options;
  const fetch = createIssuerFetch(clock);
  const issuer = createOidcIssuer({ clock, fetch });
  const flows = createOidcFlows(clock);

  const requireOnline = () => {
    if (options.offline?.() === true) {
      throw createRefusal('oidc_offline', 'the hub is in offline mode: log in with the password', [
        createFact('hub_offline'),
      ]);
    }
  };

  const start: OidcLogin['start'] = async ({ returnTo, address: client = '' } = {}) => {
    requireOnline();
    const { enabled, clientId, clientSecret, issuer: address } = settings();
    const hub = publicUrl();
    if (!enabled || clientId === '' || clientSecret === '' || address === '' || !hub) {
      throw new AppError('oidc_not_configured', 'login through an OIDC issuer is not configured: use the password');
    }
    const metadata = await issuer.discover(address);
    const redirectUri = hub.href.replace(/[?#].*$/, '').replace(/\/+$/, '') + callbackPath;
    const flow = flows.begin({ clientId, redirectUri, metadata, returnTo: localPath(returnTo) }, client);
    const location = buildAuthorizationUrl(createConfiguration(flow, { clock, fetch, clientSecret }), {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(asksForAccount(metadata) ? { prompt: 'select_account' } : {}),
    });
    return { location: location.href, state: flow.state };
  };

  const finish: OidcLogin['finish'] = async ({ url, stateCookie }) => {
    const flow = takeFlow(url, stateCookie);
    const callback = requireCode(url, flow);
    const { clientSecret } = settingsOf(flow);
    const claims = await exchangeCode({ clock, fetch, issuer, clientSecret }, flow, callback);
    validateClaims(claims, flow.clientId, clock.now());
    const role = admit(claims, settingsOf(flow));
    const confirm = () => {
      if (admit(claims, settingsOf(flow)) !== role) {
        throw changedMeanwhile();
      }
    };
    return { subject: hashSubject(claims), role, confirm, returnTo: flow.returnTo };
  };

  /** Reads the settings again after the exchange: a person who was removed from the lists meanwhile must not get in. */
  const settingsOf = (flow: OidcFlow): OidcSettings => {
    const current = settings();
    const isSame = current.clientId === flow.clientId && hrefOf(current.issuer) === hrefOf(flow.metadata.issuer);
    if (!current.enabled || !isSame || current.clientSecret === '' || options.offline?.() === true) {
      throw changedMeanwhile();
    }
    return current;
  };

  const takeFlow = (url: URL, stateCookie: string | undefined): OidcFlow => {
    const [state = '', ...more] = url.searchParams.getAll('state');
    const flow = flows.take(state);
    if (more.length > 0 || !stateCookie || !matchesHash(stateCookie, hashToken(state))) {
      throw new AppError('oidc_state_mismatch', 'this login was not started in this browser: start it again here');
    }
    if (!flow) {
      throw new AppError('oidc_flow_expired', 'this login was used already or took more than 10 minutes: log in again');
    }
    return flow;
  };

  const test: OidcLogin['test'] = async () => {
    requireOnline();
    const metadata = await issuer.discover(settings().issuer, true);
    const answer = await fetch(metadata.jwks_uri ?? '', {
      method: 'GET',
      headers: { accept: 'application/json' },
      body: undefined,
      redirect: 'manual',
    });
    const text = await answer.text();
    if (answer.status !== 200 || !holdsRsaKey(text)) {
      throw unusable('its jwks_uri gives no RSA key', createFact('oidc_no_keys'));
    }
    return { issuer: metadata.issuer };
  };

  return {
    start,
    finish: (callback) => logged(log, 'browser login refused', () => finish(callback)),
    async test() {
      try {
        return await test();
      } catch (error) {
        const details = { reason: codeOf(error) };
        throw createRefusal('oidc_test_failed', messageOf(error), listFacts(error), { details });
      }
    },
  };
}

function changedMeanwhile(): AppError {
  return new AppError('oidc_flow_expired', 'the login settings changed in the meantime: log in again');
}

/** The callback URL registered with the issuer, with the parameters that came. Throws AppError 401. */
function requireCode(url: URL, { redirectUri, metadata }: OidcFlow): URL {
  const issuers = url.searchParams.getAll('iss');
  const isAnnounced = metadata.authorization_response_iss_parameter_supported === true;
  if (issuers.some((one) => one !== metadata.issuer) || (isAnnounced && issuers.length !== 1)) {
    throw new AppError('oidc_issuer_mismatch', 'another issuer answered than the one that was asked: log in again');
  }
  if (url.searchParams.has('error')) {
    throw new AppError('oidc_denied', 'the issuer ended the login, or it was cancelled there: log in again');
  }
  const codes = url.searchParams.getAll('code');
  if (codes.length !== 1 || codes[0] === '') {
    throw new AppError('oidc_code_rejected', 'the issuer sent no login code: log in again');
  }
  const callback = new URL(redirectUri);
  callback.search = url.search;
  return callback;
}

async function logged<T>(log: Pick<Log, 'warn'>, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    log.warn({ reason: codeOf(error) }, what);
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'internal';
}

/** A path on this hub; anything that could lead elsewhere is dropped. */
export function localPath(text: string | undefined): string | null {
  return text !== undefined && text.length <= 512 && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) ? text : null;
}

function hrefOf(address: string): string {
  return URL.parse(address)?.href ?? address;
}

function holdsRsaKey(text: string): boolean {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    return Array.isArray(keys) && keys.some((key) => key?.kty === 'RSA');
  } catch {
    return false;
  }
}
