// The keys of the issuer, found by discovery and cached for five minutes. While the issuer is down, cached keys still
// verify tokens; without any, every token is refused and the issuer is not queried again for each request.
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
  /** The key with this id. Rejects when the issuer has none or is unreachable without a cache, or on `signal`. */
  key(id: string, signal: AbortSignal): Promise<Key>;
}

interface CachedKeys {
  keys: ReadonlyMap<string, PublicKey>;
  imported: Map<string, Promise<Key>>;
  at: number;
}

/** Sends no request before the first token: the endpoint starts while the issuer is down. `stop` aborts requests. */
export function createIssuerKeys(settings: OAuthSettings, clock: Clock, log: Log, stop: AbortSignal): IssuerKeys {
  let cached: CachedKeys | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;

  /** Concurrent callers share one fetch; after a failure, the next one is delayed. */
  const refreshed = shareWork(async (): Promise<CachedKeys> => {
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
      let known = isFresh && cached !== null ? cached : await refreshed(signal);
      if (!known.keys.has(id) && elapsed(known.at, clock.now()) >= limits.mcpIssuerRefreshMs) {
        known = await refreshed(signal);
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
  const [first = '', second = ''] = discoveryAddresses(settings.issuer);
  const document = await fetchIssuerJson(first, clock, stop).catch((error: unknown) => {
    if (messageOf(error) === 'answered 404') {
      return fetchIssuerJson(second, clock, stop);
    }
    throw error;
  });
  return keysAddress(document, settings);
}
