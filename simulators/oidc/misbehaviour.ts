// The faults between the provider and the wire, and a few corrections of what the provider answers.
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#kernel/time/clock.ts';
import type { Clients } from './clients.ts';
import type { RequestFaults } from './per-request-faults.ts';
import { otherIssuer, secondAudience, userScopes } from './provider.ts';
import type { IssuerSettings } from './settings.ts';
import { createEllipticKey, createSigningKey, publicHalf, type SigningKey, signAgain } from './signing-key.ts';
import type { Storage } from './storage.ts';
import { moveTimestamps } from './time-claims.ts';

export interface MisbehaviourOptions {
  issuer: string;
  clock: Clock;
  settings: IssuerSettings;
  resourceScopes: readonly string[];
  requestFaults: RequestFaults;
  clients: Clients;
  storage: Storage;
  key: SigningKey;
  /** Ends waits of `slow`. */
  stopped: AbortSignal;
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

const discoveryPath = '/.well-known/openid-configuration';
/** Where RFC 8414 puts the same document. */
const authorizationServerPath = '/.well-known/oauth-authorization-server';

export function createMisbehaviour(options: MisbehaviourOptions): Middleware {
  const { clock, settings, requestFaults, storage, stopped } = options;
  return async (ctx, next) => {
    if (ctx.path === authorizationServerPath) {
      ctx.path = discoveryPath;
    }
    const slow = requestFaults.take(ctx, 'slow', ctx.path);
    if (slow) {
      await clock.sleep(Number(slow.value ?? 5000), stopped).catch(() => undefined);
    }
    if (redirectsForEver(ctx, requestFaults) || isDown(ctx, requestFaults)) {
      return;
    }
    if (ctx.path === '/auth' && (settings.consent !== 'page' || asksWhoItIs(ctx))) {
      await storage.adapter('Session').destroy(ctx.cookies.get('_session') ?? '');
    }
    await next();
    if (ctx.path === discoveryPath && ctx.status === 200) {
      changeDiscovery(ctx, options);
    }
    if (ctx.path === '/jwks' && ctx.status === 200) {
      await changeKeys(ctx, requestFaults);
    }
    if (ctx.path === '/token' && ctx.status === 200) {
      await changeIdToken(ctx, options);
    }
    changeRedirect(ctx, options);
  };
}

function redirectsForEver(ctx: KoaContextWithOIDC, requestFaults: RequestFaults): boolean {
  if (!requestFaults.take(ctx, 'redirect-loop', ctx.path)) {
    return false;
  }
  const round = Number(ctx.query.round ?? 0) + 1;
  const query = new URLSearchParams(ctx.querystring);
  query.set('round', String(round));
  ctx.redirect(`${ctx.path}?${query}`);
  return true;
}

function isDown(ctx: KoaContextWithOIDC, requestFaults: RequestFaults): boolean {
  if (ctx.path === discoveryPath && requestFaults.take(ctx, 'discovery-not-json')) {
    ctx.type = 'html';
    ctx.body = '<!doctype html><title>Welcome</title><p>It works!</p>';
    return true;
  }
  const down =
    (ctx.path === '/jwks' && requestFaults.take(ctx, 'jwks-down')) ||
    (ctx.path === '/token' && requestFaults.take(ctx, 'token-endpoint-down'));
  if (down) {
    ctx.status = 503;
    ctx.body = 'Service Unavailable';
  }
  return Boolean(down);
}

/**
 * Whether the request wants a fresh login. Its session is dropped first: otherwise the provider shows a log-out page when
 * another user logs in.
 */
function asksWhoItIs({ query: { prompt, max_age: maxAge } }: KoaContextWithOIDC): boolean {
  return maxAge !== undefined || /\b(login|select_account)\b/.test(String(prompt));
}

function changeDiscovery(
  ctx: KoaContextWithOIDC,
  { issuer, settings, resourceScopes, requestFaults }: MisbehaviourOptions,
) {
  const document: Record<string, unknown> = { ...(ctx.body as object) };
  document.scopes_supported = [...userScopes, ...resourceScopes];
  if (settings.profile === 'cloud_idp' || requestFaults.take(ctx, 'no-pkce-metadata')) {
    delete document.code_challenge_methods_supported;
  }
  if (requestFaults.take(ctx, 'pkce-contradiction')) {
    document.code_challenge_methods_supported = ['plain'];
  }
  if (requestFaults.takeWrongIssuer(ctx, 'discovery')) {
    document.issuer = otherIssuer(issuer);
  }
  ctx.body = document;
}

async function changeKeys(ctx: KoaContextWithOIDC, requestFaults: RequestFaults): Promise<void> {
  const wrong = requestFaults.take(ctx, 'wrong-keys');
  if (!wrong) {
    return;
  }
  const { value = 'others' } = wrong;
  if (value === 'page') {
    ctx.type = 'html';
    ctx.body = '<!doctype html><title>Welcome</title><p>It works!</p>';
    return;
  }
  ctx.body = {
    keys: value === 'none' ? [] : [value === 'ec' ? await createEllipticKey() : publicHalf(await createSigningKey())],
  };
}

async function changeIdToken(ctx: KoaContextWithOIDC, options: MisbehaviourOptions): Promise<void> {
  const { issuer, clock, requestFaults, clients, key } = options;
  const reply: Record<string, unknown> = { ...(ctx.body as object) };
  if (typeof reply.id_token !== 'string') {
    return;
  }
  const claims = readClaims(reply.id_token);
  const changed: Record<string, unknown> = moveTimestamps(claims, clock);
  if (requestFaults.takeWrongIssuer(ctx, 'token')) {
    changed.iss = otherIssuer(issuer);
  }
  if (requestFaults.take(ctx, 'two-audiences')) {
    changed.aud = [claims.aud, secondAudience];
    changed.azp = undefined;
  }
  if (claims.nonce !== undefined && requestFaults.take(ctx, 'wrong-nonce')) {
    changed.nonce = 'a-nonce-nobody-sent';
  }
  const symmetric = requestFaults.take(ctx, 'hs256-id-token')
    ? { secret: clients.find(ctx.oidc.client?.clientId ?? '')?.secret ?? null }
    : undefined;
  if (symmetric || Object.keys(changed).length > 0) {
    ctx.body = { ...reply, id_token: await signAgain(reply.id_token, changed, key, symmetric) };
  }
}

function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The redirect to the application carries `iss` (RFC 9207). */
function changeRedirect(ctx: KoaContextWithOIDC, { issuer, requestFaults }: MisbehaviourOptions): void {
  const location = ctx.response.get('location');
  const target = URL.parse(location);
  if (target?.searchParams.has('iss') && requestFaults.takeWrongIssuer(ctx, 'response')) {
    target.searchParams.set('iss', otherIssuer(issuer));
    ctx.set('location', target.href);
  }
}
