// Enrolment codes: six characters that are shown once, hold for ten minutes, and burn at the fifth wrong application.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { randomText } from '#kernel/text/secret.ts';

/** Without 0, O, 1 and I, which people mistake for one another. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const length = 6;

/** Matched without regard to case and surrounding space. */
export const normalised = (code: string): string => code.trim().toUpperCase();

const isLive = 'used_at IS NULL AND burned_at IS NULL AND expires_at > @now';

/** Stores the hash of a new code and returns the code. Throws AppError `enrollment_code_limit` when 20 are live. */
export function createCode(writer: Writer, hashOf: (code: string) => string, now: number) {
  const { live } = writer.prepare(`SELECT COUNT(*) AS live FROM agent_code WHERE ${isLive}`).get({ now }) as {
    live: number;
  };
  if (live >= limits.enrolmentCodes) {
    throw new AppError(
      'enrollment_code_limit',
      `there are ${limits.enrolmentCodes} unused codes: use one of them, or wait until they end`,
    );
  }
  const expiresAt = now + limits.enrolmentCodeMs;
  const insert = writer.prepare(
    'INSERT INTO agent_code (code_hash, created_at, expires_at) VALUES (?, ?, ?) ON CONFLICT (code_hash) DO NOTHING',
  );
  for (;;) {
    const code = randomText(alphabet, length);
    if (insert.run(hashOf(code), now, expiresAt).changes === 1) {
      return { code, expiresAt };
    }
  }
}

/** Uses the live code with this hash up; false when there is none. */
export function useCode(writer: Writer, hash: string, now: number): boolean {
  const used = writer.prepare(`UPDATE agent_code SET used_at = @now WHERE code_hash = @hash AND ${isLive}`);
  return used.run({ hash, now }).changes === 1;
}

/**
 * Counts a wrong application against every live code, since nobody can tell which one was meant (rule 7 of
 * docs/reference/wire-contract/5-behaviours.md#51-enrolment). Returns how many burned by it.
 */
export function countFailure(writer: Writer, now: number): number {
  writer.prepare(`UPDATE agent_code SET failures = failures + 1 WHERE ${isLive}`).run({ now });
  return writer
    .prepare(`UPDATE agent_code SET burned_at = @now WHERE failures >= ${limits.enrolmentCodeFailures} AND ${isLive}`)
    .run({ now }).changes;
}
