// Five failures of one client within ten minutes lock it out for five minutes (specification 1 §5).
// A client's attempts are judged one after the other, so that many at once are no way around the count.
import ipaddr from 'ipaddr.js';
import { limits } from '#contract/limits.ts';
import { canonicalIp } from '#kernel/address.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';

export interface LockOut {
  /**
   * Judges one attempt of the client at `address` after its earlier ones. Throws AppError `login_locked` without calling
   * `judge` while the client is locked out; a throwing `judge` counts as nothing.
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

const maxClients = 20_000;

export function createLockOut(clock: Clock): LockOut {
  const clients = new Map<string, Client>();

  const judged = async (client: Client, judge: () => Promise<boolean>) => {
    refuseLocked(client, clock.now());
    const isRight = await judge();
    count(client, isRight, clock.now());
    return isRight;
  };

  return {
    async attempt(address, judge) {
      const key = networkOf(address);
      const client = clients.get(key) ?? newClient(clients, key, clock.now());
      client.waiting += 1;
      const turn = client.last.then(() => judged(client, judge));
      client.last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        client.waiting -= 1;
      }
    },
  };
}

function refuseLocked(client: Client, now: number): void {
  if (client.lockedUntil > now) {
    const seconds = Math.max(1, Math.ceil((client.lockedUntil - now) / 1000));
    throw new AppError('login_locked', `too many failed attempts: try again in ${seconds} s`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

function count(client: Client, isRight: boolean, now: number): void {
  const isOver = client.lockedUntil > 0 || now - client.firstFailureAt >= limits.loginWindowMs;
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
  if (client.failures >= limits.loginFailures) {
    client.lockedUntil = now + limits.loginLockMs;
  }
}

function newClient(clients: Map<string, Client>, key: string, now: number): Client {
  if (clients.size >= maxClients) {
    makeRoom(clients, now);
  }
  const client = { failures: 0, firstFailureAt: 0, lockedUntil: 0, waiting: 0, last: Promise.resolve() };
  clients.set(key, client);
  return client;
}

/** Forgets clients whose failures no longer count; when all do, refuses new clients rather than forgetting one. */
function makeRoom(clients: Map<string, Client>, now: number): void {
  for (const [key, { failures, firstFailureAt, lockedUntil, waiting }] of clients) {
    const counts = lockedUntil > now || (failures > 0 && now - firstFailureAt < limits.loginWindowMs);
    if (waiting === 0 && !counts) {
      clients.delete(key);
    }
  }
  if (clients.size >= maxClients) {
    throw new AppError('rate_limited', 'too many clients are failing to log in: try again in a few minutes', {
      headers: { 'Retry-After': '300' },
    });
  }
}

/** The client behind an address: the address itself, or the /64 network of an IPv6 one, which one host owns whole. */
function networkOf(address: string): string {
  const ip = canonicalIp(address) ?? address;
  return ipaddr.IPv6.isValid(ip) ? ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':') : ip;
}
