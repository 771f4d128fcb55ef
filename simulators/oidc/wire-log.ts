// What arrives goes into the journal: which parameters came, by value where the value is no secret, else by presence.
import type { KoaContextWithOIDC } from 'oidc-provider';

type Note = (kind: string, details: Record<string, unknown>) => void;
type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;
type Params = Readonly<Record<string, unknown>>;

const longest = 500;

/** Notes each request with its outcome; it goes around everything else. */
export function createWireLog(note: Note): Middleware {
  return async (ctx, next) => {
    const path = ctx.path;
    try {
      await next();
    } finally {
      record(ctx, path, note);
    }
  };
}

function record(ctx: KoaContextWithOIDC, path: string, note: Note): void {
  const query: Params = ctx.query;
  const form: Params = ctx.oidc?.body ?? {};
  if (path.startsWith('/.well-known/')) {
    note('discovery', { document: path.slice('/.well-known/'.length), status: ctx.status });
  } else if (path === '/jwks') {
    note('jwks', { status: ctx.status });
  } else if (path === '/auth') {
    note('authorization', {
      ...parameterDetails(authorization, ctx.method === 'POST' ? form : query),
      status: ctx.status,
    });
  } else if (path === '/token') {
    note('token', { ...clientDetails(ctx, form), ...parameterDetails(tokenRequest, form), ...outcome(ctx) });
  } else if (path === '/token/revocation') {
    const hint = shown(form.token_type_hint);
    note('revocation', { ...clientDetails(ctx, form), hint, token: form.token !== undefined, ...outcome(ctx) });
  } else if (path === '/me') {
    note('userinfo', { status: ctx.status });
  }
  noteAnswer(ctx, note);
}

/** Parameters by value, and of the secret ones whether they came; journal name → parameter. */
const authorization = {
  shown: {
    client: 'client_id',
    redirectUri: 'redirect_uri',
    responseType: 'response_type',
    scope: 'scope',
    resource: 'resource',
    prompt: 'prompt',
    codeChallengeMethod: 'code_challenge_method',
  },
  secret: { codeChallenge: 'code_challenge', state: 'state', nonce: 'nonce' },
};
const tokenRequest = {
  shown: { grantType: 'grant_type', redirectUri: 'redirect_uri', scope: 'scope', resource: 'resource' },
  secret: { code: 'code', codeVerifier: 'code_verifier', refreshToken: 'refresh_token' },
};

function parameterDetails(names: typeof authorization | typeof tokenRequest, params: Params): Record<string, unknown> {
  return Object.fromEntries([
    ...Object.entries(names.shown).map(([name, parameter]) => [name, shown(params[parameter])]),
    ...Object.entries(names.secret).map(([name, parameter]) => [name, isGiven(params[parameter])]),
  ]);
}

function clientDetails(ctx: KoaContextWithOIDC, form: Params): Record<string, unknown> {
  const inHeader = ctx.get('authorization').startsWith('Basic ');
  return {
    client: ctx.oidc?.client?.clientId ?? shown(form.client_id),
    clientAuthentication: inHeader ? 'basic' : isGiven(form.client_secret) ? 'post' : 'none',
  };
}

/** Status, and the error code of the answer or null. */
function outcome(ctx: KoaContextWithOIDC): Record<string, unknown> {
  const { error = null } = typeof ctx.body === 'object' && ctx.body !== null ? (ctx.body as { error?: unknown }) : {};
  return { status: ctx.status, error: shown(error) };
}

/** A redirect back to the application, with a code or an error. */
function noteAnswer(ctx: KoaContextWithOIDC, note: Note): void {
  const location = ctx.response.get('location');
  const params = URL.parse(location)?.searchParams ?? null;
  if (params && (params.has('code') || params.has('error'))) {
    const { client, session } = ctx.oidc ?? {};
    note('authorization-answer', {
      client: client?.clientId ?? null,
      user: session?.accountId ?? null,
      code: params.has('code'),
      error: params.get('error'),
    });
  }
}

/** Text as it came, cut, and without anything as long as a token or a code: clients put them where they do not belong. */
function shown(value: unknown): string | readonly string[] | null {
  if (Array.isArray(value)) {
    return value.map(masked);
  }
  return typeof value === 'string' ? masked(value) : null;
}

function masked(value: unknown): string {
  return String(value)
    .replace(/[\w-]{40,}(\.[\w-]+)*/g, '***')
    .slice(0, longest);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}
