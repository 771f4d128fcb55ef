// Clients of the simulated issuer: a browser with a cookie jar, and openid-client as an application beside it.
import * as oidc from 'openid-client';
import { mcpClientId } from '#simulators/oidc/clients.ts';
import type { IssuerSimulator } from '#simulators/oidc/issuer.ts';
import { parseSetCookie, type SetCookie } from './set-cookie.ts';

export interface Page {
  status: number;
  url: URL;
  text: string;
}

export interface IssuerBrowser {
  /** Follows redirects until `stopAt` is reached, which is not fetched, or a page that does not redirect. */
  open(url: URL, stopAt: string, form?: Record<string, string>): Promise<Page>;
}

export function createBrowser(mostRedirects = 12): IssuerBrowser {
  const jar = new Map<string, SetCookie>();
  const keep = (line: string) => {
    const cookie = parseSetCookie(line);
    const key = `${cookie.name} ${cookie.path}`;
    if (cookie.isOver) {
      jar.delete(key);
    } else {
      jar.set(key, cookie);
    }
  };
  return {
    async open(first, stopAt, form) {
      let url = first;
      let body = form ? new URLSearchParams(form) : null;
      for (let round = 0; round <= mostRedirects; round += 1) {
        if (url.href.startsWith(stopAt)) {
          return { status: 0, url, text: '' };
        }
        const cookies = [...jar.values()].filter(({ path }) => url.pathname.startsWith(path));
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { accept: 'text/html', cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
          ...(body ? { method: 'POST', body } : {}),
        });
        response.headers.getSetCookie().forEach(keep);
        const location = response.headers.get('location');
        const text = await response.text();
        if (!location) {
          return { status: response.status, url, text };
        }
        url = new URL(location, url);
        body = null;
      }
      throw new Error(`more than ${mostRedirects} redirects, the last one to ${url.pathname}`);
    },
  };
}

export interface ApplicationOptions {
  clientId?: string;
  /** A public client when absent. */
  secret?: string;
  redirectUri?: string;
  scope?: string;
  /** Sent in authorization, code and refresh requests; none when null. */
  resource?: string | null;
  browser?: IssuerBrowser;
}

export const resource = 'https://mcp.example/mcp';
const nativeCallback = 'http://127.0.0.1:53211/callback';

/** An application that found the issuer; openid-client does every request and check of its own. */
export async function openApplication(issuer: IssuerSimulator, options: ApplicationOptions = {}) {
  const { clientId = mcpClientId, secret, redirectUri = nativeCallback, scope = 'network.read' } = options;
  const target = options.resource === undefined ? resource : options.resource;
  const asksIdToken = scope.split(' ').includes('openid');
  const extra: Record<string, string> = target === null ? {} : { resource: target };
  const browser = options.browser ?? createBrowser();
  const authentication = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret);
  const execute = [oidc.allowInsecureRequests];
  const config = await oidc.discovery(new URL(issuer.issuer), clientId, undefined, authentication, { execute });

  /** What belongs to one login; `parameters` are added to the authorization request, or taken out when empty. */
  const begin = async (parameters: Record<string, string> = {}) => {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const checks = {
      pkceCodeVerifier,
      expectedState: oidc.randomState(),
      ...(asksIdToken ? { expectedNonce: oidc.randomNonce() } : {}),
    };
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      state: checks.expectedState,
      ...(checks.expectedNonce === undefined ? {} : { nonce: checks.expectedNonce }),
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...extra,
    });
    for (const [name, value] of Object.entries(parameters)) {
      if (value === '') {
        url.searchParams.delete(name);
      } else {
        url.searchParams.set(name, value);
      }
    }
    return { url, checks };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;

  const authorize = async (parameters: Record<string, string> = {}) => {
    const begun = await begin(parameters);
    return { ...begun, page: await browser.open(begun.url, redirectUri) };
  };
  const exchange = ({ checks, page }: Begun & { page: Page }) =>
    oidc.authorizationCodeGrant(config, page.url, checks, extra);
  return {
    config,
    browser,
    redirectUri,
    begin,
    authorize,
    exchange,
    login: async (parameters: Record<string, string> = {}) => exchange(await authorize(parameters)),
    refresh: (token: string | undefined) => oidc.refreshTokenGrant(config, token ?? '', extra),
    revoke: (token: string | undefined) => oidc.tokenRevocation(config, token ?? ''),
  };
}

/** The error code of a refused request, or what was thrown when it was something else. */
export async function refusal(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'nothing was refused';
  } catch (error) {
    return error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError
      ? error.error
      : error;
  }
}
