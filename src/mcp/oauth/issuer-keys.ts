// Finds the signing keys of the issuer of access tokens by discovery, and caches them for five minutes. Without keys,
// every token is refused.
import { type CryptoKey, importJWK } from 'jose';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import { fetchIssuerJson } from './issuer-fetch.ts';
import { discoveryAddresses, keysAddress, type PublicKey, signingKeys } from './issuer-metadata.ts';
import type { OAuthSettings } from './settings.ts';

type Key = CryptoKey | Uint8Array;

export interface IssuerKeys {
  /** Finds a key by its id. Rejects when the issuer lacks it, is down and no keys are cached, or on `signal`. */
  key(id: string, signal: AbortSignal): Promise<Key>;
}

interface CachedKeys {
  keys: ReadonlyMap<string, PublicKey>;
  imported: Map<string, Promise<Key>>;
  at: number;
}

/** Asks the issuer with the first token, not before, so that the endpoint also starts while the issuer is down. */
export function createIssuerKeys(settings: OAuthSettings, clock: Clock, log: Log, stop: AbortSignal): IssuerKeys {
  let cached: CachedKeys | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;

  /** Concurrent callers share one fetch. For some seconds after a failure, it rejects without asking again. */
  const refresh = shareWork(async (): Promise<CachedKeys> => {
    if (elapsed(failedAt, clock.now()) < limits.mcpIssuerFailureMs) {
      throw new Error('the issuer could not be asked a moment ago');
    }
    try {
      const keys = signingKeys(await fetchIssuerJson(await discoverKeys(settings, clock, stop), clock, stop));
      cached = { keys, imported: new Map(), at: clock.now() };
      return cached;
    } catch (error) {
      failedAt = clock.now();
      log.warn({}, `the issuer ${messageOf(error)}: tokens cannot be checked`);
      throw error;
    }
  });

  return {
    async key(id, signal) {
      const isFresh = cached !== null && elapsed(cached.at, clock.now()) < limits.mcpIssuerCacheMs;
      let known = isFresh && cached !== null ? cached : await refresh(signal);
      // The issuer may have begun to sign with a newer key.
      if (!known.keys.has(id) && elapsed(known.at, clock.now()) >= limits.mcpIssuerRefreshMs) {
        known = await refresh(signal);
      }
      const jwk = known.keys.get(id);
      if (!jwk) {
        throw new Error('the issuer has no such key');
      }
      const imported = known.imported.get(id) ?? importJWK(jwk, 'RS256');
      known.imported.set(id, imported);
      return imported;
    },
  };
}

async function discoverKeys(settings: OAuthSettings, clock: Clock, stop: AbortSignal): Promise<string> {
  const [openIdAddress = '', oauthAddress = ''] = discoveryAddresses(settings.issuer);
  const document = await fetchIssuerJson(openIdAddress, clock, stop).catch((error: unknown) => {
    if (messageOf(error) === 'answered 404') {
      return fetchIssuerJson(oauthAddress, clock, stop);
    }
    throw error;
  });
  return keysAddress(document, settings);
}
