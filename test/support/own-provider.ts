// An authorization server of another make than the simulator: oidc-provider with a configuration of its own, with the pages for
// login and consent that it brings, and a person who fills them in.
import { createServer } from 'node:https';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { Agent, fetch, type Response } from 'undici';
import { close, freePort, listen } from '#kernel/http/listening.ts';
import { createSigningKey } from '#simulators/oidc/signing-key.ts';
import type { Certificate } from '#simulators/support/certificates.ts';

export interface OwnProviderOptions {
  certificate: Certificate;
  clientId: string;
  scope: string;
  /** False: the same refresh token goes on working. */
  rotates: boolean;
  /** Whether a refresh token that is used again ends all tokens of its grant. */
  revokesFamily: boolean;
  /** False: its metadata is only where RFC 8414 has it, as with servers that are no OpenID providers. */
  hasOpenIdDiscovery?: boolean;
}

export interface OwnProvider extends AsyncDisposable {
  readonly issuer: string;
}

export async function startOwnProvider(options: OwnProviderOptions): Promise<OwnProvider> {
  const { certificate, clientId, scope, rotates, revokesFamily, hasOpenIdDiscovery = true } = options;
  const port = await freePort();
  const issuer = `https://127.0.0.1:${port}`;
  const records = new Map<string, AdapterPayload>();
  const provider = new Provider(issuer, {
    adapter: (model: string) => createAdapter(model, records, revokesFamily),
    clients: [
      {
        client_id: clientId,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    jwks: { keys: [await createSigningKey()] },
    cookies: { keys: ['a key of this test'] },
    scopes: ['openid', 'offline_access'],
    rotateRefreshToken: rotates,
    revokeGrantPolicy: () => revokesFamily,
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope,
          audience: resource,
          accessTokenTTL: 300,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  const server = createServer(certificate, (request, response) => {
    if (!hasOpenIdDiscovery && request.url === '/.well-known/openid-configuration') {
      response.writeHead(404).end();
    } else {
      void answer(request, response);
    }
  });
  await listen(server, '127.0.0.1', port);
  return { issuer, [Symbol.asyncDispose]: () => close(server) };
}

function createAdapter(model: string, records: Map<string, AdapterPayload>, revokesFamily: boolean): Adapter {
  const key = (id: string) => `${model}:${id}`;
  const findBy = (name: 'uid' | 'userCode', value: string) =>
    [...records].find(([id, record]) => id.startsWith(`${model}:`) && record[name] === value)?.[1];
  return {
    upsert: async (id, payload) => void records.set(key(id), payload),
    find: async (id) => records.get(key(id)),
    findByUid: async (uid) => findBy('uid', uid),
    findByUserCode: async (code) => findBy('userCode', code),
    consume: async (id) => void Object.assign(records.get(key(id)) ?? {}, { consumed: 1 }),
    destroy: async (id) => void records.delete(key(id)),
    async revokeByGrantId(grantId) {
      for (const [id, { grantId: found }] of revokesFamily ? records : []) {
        if (found === grantId && id.startsWith(`${model}:`)) {
          records.delete(id);
        }
      }
    },
  };
}

/** Signs in and consents as a person does: opens `address`, fills in each form, until the browser is led to loopback. */
export async function signIn(address: string, ca: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const dispatcher = opened.adopt(new Agent({ connect: { ca } }), (agent) => agent.close());
  const jar = new Map<string, string>();
  const open = async (url: string, body?: URLSearchParams): Promise<{ response: Response; url: string }> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(url.startsWith('https:') ? { dispatcher } : {}),
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    return location === null ? { response, url } : open(new URL(location, url).href);
  };
  let page = await open(address);
  while (page.url.startsWith('https:')) {
    const html = await page.response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (action === undefined || prompt === undefined) {
      throw new Error(`the page has no form: ${page.response.status} ${html.slice(0, 2000)}`);
    }
    const fields = { prompt, ...(prompt === 'login' ? { login: 'ada', password: 'any' } : {}) };
    page = await open(new URL(action, page.url).href, new URLSearchParams(fields));
  }
}
