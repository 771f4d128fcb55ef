// The issuer's keys, found by discovery and kept for five minutes. While the issuer is down, what is kept still verifies;
// a process that has nothing fails closed, and does not knock with every request.
import { type CryptoKey, importJWK } from 'jose';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { fetchIssuerJson } from './issuer-fetch.ts';
import { discoveryAddresses, keysAddress, type PublicKey, signingKeys } from './issuer-metadata.ts';
import type { OAuthSettings } from './settings.ts';

type Key = CryptoKey | Uint8Array;

export interface IssuerKeys {
  /** The key of this id. Rejects when the issuer has none, or cannot be asked while none is kept. */
  key(id: string): Promise<Key>;
}

interface Kept {
  keys: ReadonlyMap<string, PublicKey>;
  imported: Map<string, Promise<Key>>;
  at: number;
}

/** Asks nothing before the first token comes: the endpoint starts while the issuer is down. */
export function createIssuerKeys(settings: OAuthSettings, clock: Clock, log: Log): IssuerKeys {
  let kept: Kept | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Kept> | null = null;

  const fetchKeys = async (): Promise<Kept> => {
    try {
      const keys = signingKeys(await fetchIssuerJson(await discoverKeys(settings, clock), clock));
      kept = { keys, imported: new Map(), at: clock.now() };
      return kept;
    } catch (error) {
      failedAt = clock.now();
      log.warn({}, `the issuer ${messageOf(error)}: tokens cannot be checked`);
      throw error;
    }
  };
  /** Parallel callers share one fetch; none is made shortly after one that failed. */
  const refreshed = (): Promise<Kept> => {
    if (asking) {
      return asking;
    }
    if (clock.now() - failedAt < limits.mcpIssuerFailureMs) {
      return Promise.reject(new Error('the issuer could not be asked a moment ago'));
    }
    asking = fetchKeys().finally(() => {
      asking = null;
    });
    return asking;
  };

  return {
    async key(id) {
      const isFresh = kept !== null && clock.now() - kept.at < limits.mcpIssuerCacheMs;
      let known = isFresh && kept !== null ? kept : await refreshed();
      if (!known.keys.has(id) && clock.now() - known.at >= limits.mcpIssuerRefreshMs) {
        known = await refreshed();
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

async function discoverKeys(settings: OAuthSettings, clock: Clock): Promise<string> {
  const [first = '', second = ''] = discoveryAddresses(settings.issuer);
  const document = await fetchIssuerJson(first, clock).catch((error: unknown) => {
    if (messageOf(error) === 'answered 404') {
      return fetchIssuerJson(second, clock);
    }
    throw error;
  });
  return keysAddress(document, settings);
}
