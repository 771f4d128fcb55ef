// Proof of a secret that a person types: the login password and the admin token, behind one count of failures.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { matchesHash } from '#kernel/secret.ts';
import type { SettingsDocument } from '../settings/document.ts';
import type { Actor, AuditEventType, AuditTrail } from './audit.ts';
import type { LockOut } from './lock-out.ts';
import type { Passwords } from './password.ts';

/** What the proof is for, as the audit trail names it when it fails. */
interface Purpose {
  type: AuditEventType;
  by: Actor;
  request: RequestFacts;
}

export interface Login {
  /** Throws AppError `login_failed`, `login_locked`, or `auth_not_initialised` when no password is set. */
  requirePassword(password: string, purpose: Purpose): Promise<void>;
  /** As `requirePassword`, for the admin token. */
  requireAdminToken(token: string, purpose: Purpose): Promise<void>;
  /** Replaces the login password; throws AppError `save_failed` and keeps the old one when it cannot be saved. */
  setPassword(password: string): Promise<void>;
}

export interface LoginOptions {
  document: SettingsDocument;
  passwords: Passwords;
  lockOut: LockOut;
  audit: AuditTrail;
  clock: Clock;
}

const notInitialised = () => new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');

export function createLogin({ document, passwords, lockOut, audit, clock }: LoginOptions): Login {
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
        clock.sleep(limits.loginFailureDelayMs),
        audit.record({ ...purpose, outcome: 'failure', metadata: { reason: 'wrong_secret' } }),
      ]);
      throw new AppError('login_failed', refusal);
    }
  };

  /** Brings the record to today's parameters; a password that was changed meanwhile stays as it is. */
  const rehash = async (password: string, old: string) => {
    const fresh = await passwords.hash(password);
    document.update((all) => (all.passwordRecord === old ? { ...all, passwordRecord: fresh } : all));
  };

  return {
    async requirePassword(password, purpose) {
      if (document.current().passwordRecord === null) {
        throw notInitialised();
      }
      await prove(purpose, 'the password is wrong', async () => {
        const record = document.current().passwordRecord ?? '';
        const { matches, outdated } = await passwords.verify(password, record);
        if (matches && outdated) {
          await rehash(password, record);
        }
        return matches;
      });
    },
    async requireAdminToken(token, purpose) {
      if (document.current().adminTokenHash === null) {
        throw notInitialised();
      }
      await prove(purpose, 'this is not the admin token', async () =>
        matchesHash(token, document.current().adminTokenHash ?? ''),
      );
    },
    async setPassword(password) {
      const passwordRecord = await passwords.hash(password);
      document.update((all) => ({ ...all, passwordRecord }));
    },
  };
}
