// Five failures of one client within ten minutes lock it out for five minutes
// (docs/reference/rest-api.md#5-authentication).
// The attempts of a client are judged one after the other, so that many at once cannot evade the count.
import { authLimits } from '#contract/auth-limits.ts';
import { refusedFor } from '#kernel/errors.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';

export interface LockOut {
  /**
   * Judges one attempt of the client at `address` after its earlier ones. Throws AppError `login_locked` without calling
   * `judge` while the client is locked out. When `judge` throws, the attempt is neither a failure nor a success.
   */
  attempt(address: string, judge: () => Promise<boolean>): Promise<boolean>;
}

interface Client {
  failures: number;
  firstFailureAt: number;
  lockedUntil: number;
  waiting: number;
  last: Promise<unknown>;
}

/** Remembers the failures of at most `maxClients`, besides those whose attempts are under way. Never refuses a new one. */
export function createLockOut(wallClock: Clock, maxClients = 20_000): LockOut {
  const clock = createSteadyClock(wallClock);
  const judging = new Map<string, Client>();
  const memory = createMemory(maxClients);

  const judged = async (key: string, client: Client, judge: () => Promise<boolean>) => {
    refuseLocked(client, clock.now());
    const isRight = await judge();
    count(client, isRight, clock.now());
    memory.keep(key, client, clock.now());
    return isRight;
  };

  return {
    async attempt(address, judge) {
      const key = clientKey(address);
      const client = judging.get(key) ?? memory.find(key) ?? newClient();
      judging.set(key, client);
      client.waiting += 1;
      const turn = client.last.then(() => judged(key, client, judge));
      client.last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        client.waiting -= 1;
        if (client.waiting === 0) {
          judging.delete(key);
        }
      }
    },
  };
}

function newClient(): Client {
  return { failures: 0, firstFailureAt: 0, lockedUntil: 0, waiting: 0, last: Promise.resolve() };
}

/**
 * Clients with failures: counted and locked ones separately, each in the order in which their time ends. When it is full,
 * it forgets counted clients before locked ones. To have one lock forgotten, an attacker must fill it with new locks.
 */
function createMemory(maxClients: number) {
  const failing = new Map<string, Client>();
  const locked = new Map<string, Client>();

  const makeRoom = (now: number) => {
    for (const [key, { lockedUntil }] of locked) {
      if (lockedUntil > now) {
        break;
      }
      locked.delete(key);
    }
    if (failing.size + locked.size > maxClients) {
      const shorter = failing.size > 1 ? failing : locked;
      const [oldest] = shorter.keys();
      shorter.delete(oldest ?? '');
    }
  };

  return {
    find: (key: string) => locked.get(key) ?? failing.get(key),
    /** Moves the client to the list that its count belongs to. */
    keep(key: string, client: Client, now: number) {
      locked.delete(key);
      if (client.failures <= 1 || client.lockedUntil > now) {
        failing.delete(key);
      }
      if (client.failures > 0) {
        (client.lockedUntil > now ? locked : failing).set(key, client);
        makeRoom(now);
      }
    },
  };
}

function refuseLocked(client: Client, now: number): void {
  if (client.lockedUntil > now) {
    throw refusedFor(
      'login_locked',
      client.lockedUntil - now,
      (seconds) => `too many failed attempts: try again in ${seconds} s`,
    );
  }
}

function count(client: Client, isRight: boolean, now: number): void {
  const isOver = client.lockedUntil > 0 || now - client.firstFailureAt >= authLimits.loginWindowMs;
  if (isRight || isOver) {
    client.failures = 0;
    client.lockedUntil = 0;
  }
  if (isRight) {
    return;
  }
  if (client.failures === 0) {
    client.firstFailureAt = now;
  }
  client.failures += 1;
  if (client.failures >= authLimits.loginFailures) {
    client.lockedUntil = now + authLimits.loginLockMs;
  }
}
