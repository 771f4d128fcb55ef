// Scoped API identities: a list of permissions for a limited time behind a token that is shown once.

import { permissions as allPermissions, type Permission } from '#contract/access.ts';
import { authLimits } from '#contract/auth-limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createId, createToken, hashToken } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Signals } from '../../signals.ts';

export interface Identity {
  id: string;
  label: string;
  permissions: string[];
  permissionsValid: boolean;
  createdAt: number;
  expiresAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export type Identities = ReturnType<typeof createIdentities>;

const columns = `id, label, permissions, created_at AS createdAt, expires_at AS expiresAt, last_used_at AS lastUsedAt,
  revoked_at AS revokedAt`;

export function createIdentities({ db, clock, signals }: { clock: Clock; db: Db; signals: Pick<Signals, 'emit'> }) {
  const touching = new Set<string>();
  return {
    /**
     * Throws AppError `identity_limit` when 25 are active. Calls `confirm` inside the write: when it throws, because the caller
     * has lost the right to create it, no identity is created.
     */
    async create(
      { label, permissions, expiresInMs }: { label: string; permissions: readonly Permission[]; expiresInMs: number },
      confirm: () => void,
    ) {
      const token = createToken('svc_', 32);
      const now = clock.now();
      const row = {
        id: createId(),
        label,
        permissions: JSON.stringify([...new Set(permissions)].sort()),
        createdAt: now,
        expiresAt: now + expiresInMs,
        lastUsedAt: null,
        revokedAt: null,
      };
      await db.save((writer) => {
        confirm();
        const { active } = writer
          .prepare('SELECT COUNT(*) AS active FROM api_identity WHERE revoked_at IS NULL AND expires_at > ?')
          .get(now) as { active: number };
        if (active >= authLimits.identitiesActive) {
          throw new AppError(
            'identity_limit',
            `there are ${authLimits.identitiesActive} active identities: revoke one before making another`,
          );
        }
        writer
          .prepare(
            `DELETE FROM api_identity WHERE id IN (
               SELECT id FROM api_identity WHERE revoked_at IS NOT NULL OR expires_at <= @now
               ORDER BY coalesce(min(revoked_at, expires_at), expires_at) DESC, created_at DESC, rowid DESC
               LIMIT -1 OFFSET @stored)`,
          )
          .run({ now, stored: authLimits.identitiesEnded });
        writer
          .prepare(
            `INSERT INTO api_identity (id, token_hash, label, permissions, created_at, expires_at, last_used_at, revoked_at)
             VALUES (@id, @tokenHash, @label, @permissions, @createdAt, @expiresAt, @lastUsedAt, @revokedAt)`,
          )
          .run({ ...row, tokenHash: hashToken(token) });
      });
      return { token, identity: identityOf(row) };
    },
    /** The active identity of this token. */
    find(token: string) {
      const row = db
        .prepare(`SELECT ${columns} FROM api_identity WHERE token_hash = ? AND revoked_at IS NULL AND expires_at > ?`)
        .get(hashToken(token), clock.now());
      return row === undefined ? null : identityOf(row as IdentityRow);
    },
    /** Stores its use when the stored one is five minutes old or more; null when there is nothing to store. */
    touch({ id, lastUsedAt }: Identity) {
      const now = clock.now();
      if (touching.has(id) || (lastUsedAt !== null && now - lastUsedAt < authLimits.identityTouchMs)) {
        return null;
      }
      touching.add(id);
      return db
        .write((writer) => {
          writer.prepare('UPDATE api_identity SET last_used_at = ? WHERE id = ?').run(now, id);
        })
        .finally(() => touching.delete(id));
    },
    /** Newest first: the active ones, and the `authLimits.identitiesEnded` that were revoked or expired last. */
    list: () =>
      (
        db.prepare(`SELECT ${columns} FROM api_identity ORDER BY created_at DESC, rowid DESC`).all() as IdentityRow[]
      ).map(identityOf),
    /** False when there is no such identity, or it was revoked already. */
    async revoke(id: string) {
      const { changes } = await db.save((writer) =>
        writer
          .prepare('UPDATE api_identity SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
          .run(clock.now(), id),
      );
      if (changes === 1) {
        signals.emit('credentialRevoked', `identity:${id}`);
      }
      return changes === 1;
    },
  };
}

interface IdentityRow extends Omit<Identity, 'permissions' | 'permissionsValid'> {
  permissions: string;
}

function identityOf(row: IdentityRow): Identity {
  const permissions = JSON.parse(row.permissions) as string[];
  return { ...row, permissions, permissionsValid: permissions.every(isPermission) };
}

/** What the identity may do: its list, or nothing when a name in it is unknown. */
export function grantedPermissions(identity: Identity): ReadonlySet<Permission> {
  return new Set(identity.permissionsValid ? identity.permissions.filter(isPermission) : []);
}

function isPermission(name: string): name is Permission {
  return allPermissions.some((known) => known === name);
}
