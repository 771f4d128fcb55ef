// What an issuer's discovery document must say before a browser is sent there
// (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc). Pure.
import type { ServerMetadata } from 'openid-client';
import type { Fact } from '#contract/facts.ts';
import type { AppError } from '#kernel/errors.ts';
import { canonicalIp, isLoopbackHost, unbracketed } from '#kernel/net/address.ts';
import { createFact, createRefusal } from '../../refusals.ts';

/** True for `http:` on a loopback host: the one place where an issuer may do without TLS. */
export function isPlainLoopback(url: URL): boolean {
  return url.protocol === 'http:' && isLoopbackHost(url.hostname);
}

/** The issuer's address when it is https, or http on loopback, and nothing but an address; otherwise null. */
export function toIssuerUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || isLinkLocalHost(url) || !(url.protocol === 'https:' || isPlainLoopback(url))) {
    return null;
  }
  return url.username + url.password + url.search + url.hash === '' ? url : null;
}

/** As `toIssuerUrl`; throws AppError `oidc_not_configured` instead of returning null. */
export function parseIssuer(text: string): URL {
  const url = toIssuerUrl(text);
  if (url === null) {
    throw createRefusal('oidc_not_configured', 'the OIDC issuer must be an https address: correct it in the settings', [
      createFact('oidc_issuer_invalid'),
    ]);
  }
  return url;
}

/**
 * Throws AppError `oidc_pkce_unsupported`, or `oidc_issuer_metadata` when an endpoint is missing or unsafe, or what
 * we insist on is not offered. An issuer elsewhere may not send us to this machine's own loopback.
 */
export function requireUsable(metadata: ServerMetadata): void {
  const issuer = new URL(metadata.issuer);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const) {
    const endpoint = metadata[name];
    if (endpoint === undefined && name === 'userinfo_endpoint') {
      continue;
    }
    if (!isSafeEndpoint(endpoint, issuer)) {
      throw unusable(`its ${name} is not an https address`, createFact('oidc_endpoint', { name }));
    }
  }
  if (!listed(metadata.code_challenge_methods_supported, 'S256')) {
    throw createRefusal(
      'oidc_pkce_unsupported',
      'the OIDC issuer does not announce PKCE with S256: switch it on there, or use another issuer',
      [createFact('oidc_no_pkce')],
    );
  }
  const algorithms = metadata.id_token_signing_alg_values_supported;
  if (algorithms && !listed(algorithms, 'RS256')) {
    throw unusable('it does not sign ID tokens with RS256', createFact('oidc_no_rs256'));
  }
  if (chooseAuthentication(metadata) === null) {
    throw unusable(
      'it takes the client secret neither as client_secret_basic nor as client_secret_post',
      createFact('oidc_no_secret_method'),
    );
  }
}

/** How to send the client secret: in the header when offered or nothing is said (OIDC Discovery 1.0 §3), else in the body. */
export function chooseAuthentication(metadata: ServerMetadata): 'basic' | 'post' | null {
  const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (listed(offered, 'client_secret_basic')) {
    return 'basic';
  }
  return listed(offered, 'client_secret_post') ? 'post' : null;
}

/** Whether to ask for the choice of account: not where the issuer lists its prompts without it. */
export function asksForAccount(metadata: ServerMetadata): boolean {
  const prompts = metadata.prompt_values_supported;
  return prompts === undefined || listed(prompts, 'select_account');
}

/** An AppError `oidc_issuer_metadata` about the discovery document; `fact` says the same as `why`. */
export function unusable(why: string, fact: Fact): AppError {
  return createRefusal('oidc_issuer_metadata', `the OIDC issuer cannot be used: ${why}`, [fact]);
}

function isSafeEndpoint(endpoint: unknown, issuer: URL): boolean {
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  if (url === null) {
    return false;
  }
  const isOurOwn = isLoopbackHost(url.hostname) && !isLoopbackHost(issuer.hostname);
  if (url.username + url.password !== '' || isOurOwn || isLinkLocalHost(url)) {
    return false;
  }
  return url.protocol === 'https:' || (isPlainLoopback(url) && isPlainLoopback(issuer));
}

/** Link-local or unspecified: where a cloud's metadata service or this very host would answer. */
function isLinkLocalHost({ hostname }: URL): boolean {
  return /^(?:169\.254\.|0\.|fe[89ab][\da-f]:|::$)/.test(canonicalIp(unbracketed(hostname)) ?? '');
}

/** The document is the issuer's: it may hold anything where a list is expected. */
function listed(list: unknown, word: string): boolean {
  return Array.isArray(list) && list.includes(word);
}
