// Checks the secrets that a person types, login password and admin token, with one count of failures for both.
import { authLimits } from '#contract/auth-limits.ts';
import type { AuditEventType } from '#contract/auth-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { matchesHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { SettingsDocument } from '../../settings/document.ts';
import type { Actor, AuditTrail } from '../audit.ts';
import type { LockOut } from './lock-out.ts';
import type { Passwords } from './password.ts';

/** What the proof is for, as the audit trail names it when it fails. */
interface Purpose {
  type: AuditEventType;
  by: Actor;
  request: RequestFacts;
}

/**
 * Throws AppError when the secret that was checked has changed since. Call it in the same synchronous step as the change
 * that the check allows.
 */
export type Confirm = () => void;

export type Login = ReturnType<typeof createLogin>;

export interface LoginOptions {
  document: SettingsDocument;
  passwords: Passwords;
  lockOut: LockOut;
  audit: AuditTrail;
  clock: Clock;
}

const notInitialised = () => new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');

export function createLogin({ document, passwords, lockOut, audit, clock }: LoginOptions) {
  const prove = async (purpose: Purpose, refusal: string, judge: () => Promise<boolean>) => {
    let isRight: boolean;
    try {
      isRight = await lockOut.attempt(purpose.request.address, judge);
    } catch (error) {
      if (error instanceof AppError && error.status === 429) {
        await audit.record({ ...purpose, outcome: 'failure', metadata: { reason: 'rate_limited' } });
      }
      throw error;
    }
    if (!isRight) {
      await Promise.all([
        clock.sleep(authLimits.loginFailureDelayMs),
        audit.record({ ...purpose, outcome: 'failure', metadata: { reason: 'wrong_secret' } }),
      ]);
      throw new AppError('login_failed', refusal);
    }
  };

  /** The last record that was replaced by another record of the same password. */
  let rehashed: { from: string; to: string } | null = null;

  /** Hashes the password again with the current parameters, unless it was changed meanwhile. */
  const rehash = async (password: string, old: string) => {
    const fresh = await passwords.hash(password);
    if (document.current().passwordRecord === old) {
      document.update((all) => ({ ...all, passwordRecord: fresh }));
      rehashed = { from: old, to: fresh };
    }
  };

  const isPasswordOf = (record: string) => {
    const now = document.current().passwordRecord;
    return now === record || (rehashed?.from === record && rehashed.to === now);
  };

  const confirmation =
    (purpose: Purpose, what: string, holds: () => boolean): Confirm =>
    () => {
      if (!holds()) {
        audit.note({ ...purpose, outcome: 'failure', metadata: { reason: 'changed_meanwhile' } });
        throw new AppError('login_failed', `the ${what} was changed in the meantime: use the new one`);
      }
    };

  return {
    /** Throws AppError `login_failed`, `login_locked`, or `auth_not_initialised` when no password is set. */
    async requirePassword(password: string, purpose: Purpose) {
      if (document.current().passwordRecord === null) {
        throw notInitialised();
      }
      let record = '';
      await prove(purpose, 'the password is wrong', async () => {
        record = document.current().passwordRecord ?? '';
        const { matches, outdated } = await passwords.verify(password, record);
        if (matches && outdated) {
          await rehash(password, record);
        }
        return matches;
      });
      return confirmation(purpose, 'password', () => isPasswordOf(record));
    },
    /** As `requirePassword`, for the admin token. */
    async requireAdminToken(token: string, purpose: Purpose) {
      if (document.current().adminTokenHash === null) {
        throw notInitialised();
      }
      const holds = () => matchesHash(token, document.current().adminTokenHash ?? '');
      await prove(purpose, 'this is not the admin token', async () => holds());
      return confirmation(purpose, 'admin token', holds);
    },
    /**
     * Resolves to a function that calls `confirm`, replaces the login password, and returns a function that undoes this. It
     * throws AppError `save_failed` and keeps the old password when the new one cannot be saved.
     */
    async newPassword(password: string, confirm: Confirm) {
      const fresh = await passwords.hash(password);
      const replace = (from: string | null, to: string | null, isPasswordInitial: boolean) =>
        document.update((all) =>
          all.passwordRecord === from ? { ...all, passwordRecord: to, isPasswordInitial } : all,
        );
      return () => {
        confirm();
        const { passwordRecord: old, isPasswordInitial } = document.current();
        replace(old, fresh, false);
        return () => void replace(fresh, old, isPasswordInitial);
      };
    },
  };
}
