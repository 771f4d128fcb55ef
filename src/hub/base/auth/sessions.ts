// Browser sessions: tokens as hashes only, a lifetime that slides with use and ends for good after 90 days.
import { authLimits } from '#contract/auth-limits.ts';
import type { Role } from '#contract/auth-records.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { createToken, hashToken, matchesHash } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Signals } from '../signals.ts';

export interface Session {
  id: number;
  deviceLabel: string | null;
  authMethod: 'local' | 'oidc';
  role: Role;
  /** SHA-256 of issuer and subject; null for the local login. */
  subject: string | null;
  userAgent: string | null;
  address: string | null;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
}

/** A session as it is stored, with the hash its CSRF token must have. */
export interface StoredSession extends Session {
  csrfHash: string;
}

export interface OpenedSession {
  session: Session;
  /** 64 hex digits each; shown to the caller and stored nowhere. */
  token: string;
  csrfToken: string;
  /** Number of the session that this login ended; null when it ended none. */
  replaced: number | null;
}

type About = Omit<Session, 'id' | 'createdAt' | 'lastSeenAt' | 'expiresAt'>;

export interface Sessions {
  /**
   * Calls `confirm` inside the write: when it throws, because the login no longer holds, no session is created. The same
   * write ends the session of `replacing`, the previous token of the browser (ASVS 5.0 V7.2.4). When the person has too many
   * sessions, it also ends the one that was used longest ago.
   */
  open(about: About, confirm: () => void, replacing?: string): Promise<OpenedSession>;
  /** The session of this token, unless it has ended. */
  find(token: string): StoredSession | null;
  /** Extends the session when that was last done five minutes ago or more; null when there is nothing to store. */
  renew(session: Session): { remainingMs: number; saved: Promise<void> } | null;
  /** Sessions that have not ended, latest activity first. */
  list(): Session[];
  /** Ends those that `ids` names; resolves to how many there were. */
  revoke(ids: readonly number[]): Promise<number>;
  /** Ends all but `keep`, or only those that logged in by `authMethod`. */
  revokeAll(options: {
    keep?: number | null;
    authMethod?: Session['authMethod'];
    /**
     * The reason for the end, such as a new password: applied together with it, or not at all. Returns a function that undoes
     * it, for the case that the database then refuses to end the sessions.
     */
    change?: () => () => void;
  }): Promise<number>;
  prune(): Promise<void>;
}

export interface SessionsOptions {
  clock: Clock;
  db: Db;
  signals: Pick<Signals, 'emit'>;
  ttlMs: number;
}

const columns = `id, device_label AS deviceLabel, auth_method AS authMethod, role, subject,
  user_agent AS userAgent, address, created_at AS createdAt,
  last_seen_at AS lastSeenAt, expires_at AS expiresAt`;

export function createSessions({ db, clock, signals, ttlMs }: SessionsOptions): Sessions {
  const endOf = (createdAt: number, now: number) =>
    Math.min(now + ttlMs, createdAt + authLimits.sessionAbsoluteDays * dayMs);
  const renewing = new Set<number>();

  const revokeWhere = async (
    condition: string,
    values: readonly (number | string)[],
    change: () => () => void = () => () => undefined,
  ) => {
    const made: (() => void)[] = [];
    try {
      const gone = await db.save((writer) => {
        const ended = writer.prepare(`DELETE FROM session WHERE ${condition} RETURNING id`).all(...values) as Session[];
        made.push(change());
        return ended;
      });
      for (const { id } of gone) {
        signals.emit('credentialRevoked', `session:${id}`);
      }
      return gone.length;
    } catch (error) {
      for (const undo of made) {
        undo();
      }
      throw error;
    }
  };

  return {
    async open(about, confirm, replacing) {
      const now = clock.now();
      const token = createToken('', 32);
      const csrfToken = createToken('', 32);
      const deviceLabel = about.deviceLabel?.slice(0, authLimits.deviceLabelStored) ?? null;
      const userAgent = about.userAgent?.slice(0, authLimits.userAgentStored) ?? null;
      const fresh = { ...about, deviceLabel, userAgent, createdAt: now, lastSeenAt: now, expiresAt: endOf(now, now) };
      const { id, replaced, surplus } = await db.save((writer) => {
        confirm();
        const ended = writer
          .prepare('DELETE FROM session WHERE token_hash = ? RETURNING id')
          .get(hashToken(replacing ?? '')) as Pick<Session, 'id'> | undefined;
        const surplus = endSurplus(writer, about);
        const { lastInsertRowid } = writer
          .prepare(
            `INSERT INTO session (token_hash, csrf_hash, device_label, auth_method, role, subject, user_agent,
               address, created_at, last_seen_at, expires_at)
             VALUES (@tokenHash, @csrfHash, @deviceLabel, @authMethod, @role, @subject, @userAgent,
               @address, @createdAt, @lastSeenAt, @expiresAt)`,
          )
          .run({ ...fresh, tokenHash: hashToken(token), csrfHash: hashToken(csrfToken) });
        return { id: Number(lastInsertRowid), replaced: ended?.id ?? null, surplus };
      });
      for (const gone of replaced === null ? surplus : [replaced, ...surplus]) {
        signals.emit('credentialRevoked', `session:${gone}`);
      }
      return { session: { ...fresh, id }, token, csrfToken, replaced };
    },
    find(token) {
      const row = db
        .prepare(`SELECT ${columns}, csrf_hash AS csrfHash FROM session WHERE token_hash = ? AND expires_at > ?`)
        .get(hashToken(token), clock.now());
      return (row as StoredSession | undefined) ?? null;
    },
    renew({ id, createdAt, lastSeenAt }) {
      const now = clock.now();
      if (now - lastSeenAt < authLimits.sessionRefreshMs || renewing.has(id)) {
        return null;
      }
      const expiresAt = endOf(createdAt, now);
      renewing.add(id);
      const saved = db
        .write((writer) => {
          writer.prepare('UPDATE session SET last_seen_at = ?, expires_at = ? WHERE id = ?').run(now, expiresAt, id);
        })
        .finally(() => renewing.delete(id));
      return { remainingMs: expiresAt - now, saved };
    },
    list: () =>
      db
        .prepare(`SELECT ${columns} FROM session WHERE expires_at > ? ORDER BY last_seen_at DESC, id DESC`)
        .all(clock.now()) as Session[],
    revoke: (ids) => revokeWhere(`id IN (${ids.map(() => '?').join(', ')})`, ids),
    revokeAll: ({ keep, authMethod, change }) =>
      revokeWhere('id <> ? AND auth_method LIKE ?', [keep ?? 0, authMethod ?? '%'], change),
    async prune() {
      await revokeWhere('expires_at <= ?', [clock.now()]);
    },
  };
}

/** What a session stores of the browser that opens it. */
export function describeClient({ headers, address }: RequestFacts): Pick<Session, 'userAgent' | 'address'> {
  return { userAgent: headers['user-agent'] ?? null, address };
}

export function ownsCsrfToken(session: StoredSession, csrfToken: string): boolean {
  return matchesHash(csrfToken, session.csrfHash);
}

/** Ends sessions of this person until one more is allowed. Returns the numbers of the ended ones. */
function endSurplus(writer: Writer, { authMethod, subject }: Pick<Session, 'authMethod' | 'subject'>): number[] {
  return writer
    .prepare(
      `DELETE FROM session WHERE id IN (
         SELECT id FROM session WHERE auth_method = @authMethod AND subject IS @subject
         ORDER BY last_seen_at DESC, id DESC LIMIT -1 OFFSET @stored)
       RETURNING id`,
    )
    .pluck()
    .all({ authMethod, subject, stored: authLimits.sessionsOfSubject - 1 }) as number[];
}
