// Sessions of the simulated web UI: who is logged on, idle ends, form tokens, the lock after wrong passwords.
import { randomBytes } from 'node:crypto';
import type { Clock } from '#kernel/time/clock.ts';
import type { UpsSettings } from './settings.ts';

export interface Session {
  id: string;
  /** Small number for the journal, which does not show ids. */
  readonly number: number;
  loggedOn: boolean;
  /** Of the form; 16 hex digits. */
  token: string;
  savedPath: string | null;
  lastUsedAt: number;
  joined: boolean;
  /** Set by a login that was refused because somebody else is logged on. */
  refusedAsBusy: boolean;
  problem: 'wrongPassword' | null;
  /** Of this session alone; null: that of the server. */
  locale: string | null;
}

export interface SessionsOptions {
  clock: Clock;
  settings: UpsSettings;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ clock, settings, note }: SessionsOptions) {
  const all = new Map<string, Session>();
  let owner: Session | null = null;
  let count = 0;
  let failures = 0;
  let lockedUntil: number | null = null;

  const drop = (session: Session) => {
    all.delete(session.id);
    owner = owner === session ? null : owner;
  };
  const endIdle = () => {
    for (const session of [...all.values()]) {
      if (clock.now() - session.lastUsedAt > settings.idleMs) {
        drop(session);
        note('session-expired', { session: session.number, loggedOn: session.loggedOn });
      }
    }
  };
  return {
    /** A session that is alive; ends idle ones first. */
    find(id: string): Session | null {
      endIdle();
      return all.get(id) ?? null;
    },
    create(): Session {
      count += 1;
      const session: Session = {
        id: newId(),
        number: count,
        loggedOn: false,
        token: randomBytes(8).toString('hex'),
        savedPath: null,
        lastUsedAt: clock.now(),
        joined: false,
        refusedAsBusy: false,
        problem: null,
        locale: null,
      };
      all.set(session.id, session);
      return session;
    },
    /** Gives a session another id, as a login does. */
    renew(session: Session): void {
      all.delete(session.id);
      session.id = newId();
      all.set(session.id, session);
    },
    end: drop,
    clear(): void {
      all.clear();
      owner = null;
      failures = 0;
      lockedUntil = null;
    },
    /** Sessions alive, logged on or not. */
    list(): readonly Session[] {
      endIdle();
      return [...all.values()];
    },
    /** The one that is logged on; with many, the one that logged on last. */
    owner(): Session | null {
      endIdle();
      return owner;
    },
    logOn(session: Session): void {
      if (owner && owner !== session && settings.sessions === 'one') {
        note('session-thrown-out', { session: owner.number });
        drop(owner);
      }
      session.loggedOn = true;
      session.problem = null;
      session.refusedAsBusy = false;
      owner = session;
    },
    isLocked(): boolean {
      if (lockedUntil !== null && clock.now() >= lockedUntil) {
        lockedUntil = null;
        failures = 0;
      }
      return lockedUntil !== null;
    },
    /** Counts a wrong password; true when that locked the account. */
    countFailure(): boolean {
      failures += 1;
      if (settings.lockAfter > 0 && failures >= settings.lockAfter) {
        lockedUntil = clock.now() + settings.lockMs;
      }
      return lockedUntil !== null;
    },
    clearFailures(): void {
      failures = 0;
    },
    get failures() {
      return failures;
    },
    get lockedUntil() {
      return lockedUntil;
    },
  };
}

function newId(): string {
  return `node0${BigInt(`0x${randomBytes(16).toString('hex')}`).toString(36)}.node0`;
}
