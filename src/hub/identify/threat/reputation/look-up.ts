// The manual look-up of a public address at a reputation service, not more often than the settings allow.
import { limits } from '#contract/limits.ts';
import type { LookUpFailure, ProviderName } from '#contract/threat.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import { type DownloadReply, download, parseRetryAfter } from '../download.ts';
import { buildPublisherUrl } from '../refresh.ts';
import { providers, type Summary } from './services.ts';

export interface ReputationOptions {
  clock: Clock;
  document: SettingsDocument;
  mirror: URL | null;
}

export type Result<N extends ProviderName> =
  | { ok: true; summary: Summary<N>; checkedAt: number; cached: boolean }
  | LookUpFailure;

export type Reputation = ReturnType<typeof createReputation>;

export function createReputation({ clock, document, mirror }: ReputationOptions) {
  const emptyMemory = () => createMemory(clock, () => document.current().threat.cacheTtlMinutes * minuteMs);
  let memory = emptyMemory();

  return {
    /** Asks one service, or answers from the cache. Rejects only when `signal` is aborted. */
    async lookUp<N extends ProviderName>(name: N, ip: string, signal: AbortSignal): Promise<Result<N>> {
      const { title, publisher, path, keyHeader, read } = providers[name];
      // A memory that is cleared while the service is asked stays cleared.
      const { answers, cooldowns } = memory;
      const { keys, minIntervalSeconds } = document.current().threat;
      const known = answers.entry(`${name} ${ip}`);
      if (known) {
        return { ok: true, summary: known.value as Summary<N>, checkedAt: known.at, cached: true };
      }
      if (keys[name] === '') {
        return createFailure('key_missing', `${title} has no key: save one in the settings of the manual look-up`);
      }
      const { askedAt, cooldownMs } = cooldowns.get(name) ?? { askedAt: 0, cooldownMs: 0 };
      const waitMs = cooldownMs - elapsed(askedAt, clock.now());
      if (waitMs > 0) {
        const retry = { retryAfterMs: waitMs };
        return createFailure(
          'cooldown',
          `${title} is asked again in ${Math.ceil(waitMs / 1000)} s at the earliest`,
          retry,
        );
      }
      const asked = { askedAt: clock.now(), cooldownMs: minIntervalSeconds * 1000 };
      cooldowns.set(name, asked);
      const request = {
        url: buildPublisherUrl(publisher, path(ip), mirror),
        headers: { accept: 'application/json', 'user-agent': 'gatehouse', [keyHeader]: keys[name] },
        timeoutMs: limits.lookUpTimeoutMs,
        maxBytes: limits.lookUpAnswerBytes,
      };
      const reply = await download(clock, request, signal);
      const refused = findRefusal(title, reply);
      if (refused) {
        const now = clock.now();
        const leftMs = asked.cooldownMs - elapsed(asked.askedAt, now);
        cooldowns.set(name, { askedAt: now, cooldownMs: Math.max(leftMs, refused.retryAfterMs ?? 0) });
        return refused;
      }
      const summary = 'body' in reply ? read(parseJson(reply.body)) : null;
      if (summary === null) {
        return createFailure('upstream_failed', `${title} answered something that it does not answer: try again later`);
      }
      const checkedAt = clock.now();
      answers.set(`${name} ${ip}`, summary, checkedAt);
      return { ok: true, summary, checkedAt, cached: false };
    },
    /** Clears cached answers and cooldowns. */
    forget() {
      memory = emptyMemory();
    },
  };
}

/** Answers by service and address, and the cooldown of each service from `askedAt` (epoch milliseconds) on. */
function createMemory(clock: Clock, ttlMs: () => number) {
  return {
    answers: new ExpiringCache<unknown>(clock, limits.lookUpCacheEntries, ttlMs),
    cooldowns: new Map<ProviderName, { askedAt: number; cooldownMs: number }>(),
  };
}

type Extra = Pick<LookUpFailure, 'status' | 'retryAfterMs'>;

function createFailure(code: LookUpFailure['code'], error: string, extra: Extra = {}): LookUpFailure {
  return { ok: false, code, error, ...extra };
}

/** Why an answer is unusable; `null` when it is usable. */
function findRefusal(title: string, reply: DownloadReply): LookUpFailure | null {
  if ('failure' in reply) {
    return createFailure('upstream_failed', `${title} ${reply.failure}: try again later`);
  }
  const { status, headers } = reply;
  if (status === 200) {
    return null;
  }
  if (status === 401 || status === 403) {
    return createFailure('key_rejected', `${title} refused the key: save another one`, { status });
  }
  if (status === 429) {
    const wait = parseRetryAfter(headers) ?? limits.lookUpLimitMs;
    return createFailure('upstream_limit', `${title} says that its limit is used up`, { status, retryAfterMs: wait });
  }
  return createFailure('upstream_failed', `${title} answered ${status}: try again later`, { status });
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
