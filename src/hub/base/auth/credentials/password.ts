// Hashes of the login password: scrypt in the thread pool, at most two at once, records that carry their parameters.
import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { authLimits } from '#contract/auth-limits.ts';
import { AppError } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';

/** scrypt's parameters; N is 2 to the power of `log2N`. Memory is 128 · N · r bytes. */
export interface PasswordCost {
  log2N: number;
  r: number;
  p: number;
}

/** 128 MiB and a few hundred milliseconds for each computation. */
export const standardCost: PasswordCost = { log2N: 17, r: 8, p: 1 };

export type Passwords = ReturnType<typeof createPasswords>;

const keyBytes = 64;

export function createPasswords(cost: PasswordCost = standardCost) {
  const slots = new Semaphore(authLimits.passwordChecks);
  let underWay = 0;

  const inTurn = async (password: string, salt: Buffer, parameters: PasswordCost): Promise<Buffer> => {
    if (underWay >= authLimits.passwordChecks + authLimits.passwordChecksWaiting) {
      throw new AppError('rate_limited', 'too many logins at once: try again in a moment', {
        headers: { 'Retry-After': '5' },
      });
    }
    underWay += 1;
    try {
      return await slots.use(() => derive(password, salt, parameters));
    } finally {
      underWay -= 1;
    }
  };

  return {
    /** Hashes `password` with a new salt. Throws AppError `rate_limited` when too many computations are waiting. */
    async hash(password: string) {
      const salt = randomBytes(16);
      const key = await inTurn(password, salt, cost);
      const { log2N, r, p } = cost;
      return ['scrypt', 'v1', log2N, r, p, salt.toString('base64'), key.toString('base64')].join(':');
    },
    /** Resolves to whether `password` matches `record`, and whether `record` was hashed with outdated parameters. */
    async verify(password: string, record: string) {
      const stored = parseRecord(record);
      const key = await inTurn(password, stored.salt, stored.cost);
      return {
        matches: key.length === stored.key.length && timingSafeEqual(key, stored.key),
        outdated: stored.cost.log2N !== cost.log2N || stored.cost.r !== cost.r || stored.cost.p !== cost.p,
      };
    },
  };
}

function derive(password: string, salt: Buffer, { log2N, r, p }: PasswordCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r };
  const text: BinaryLike = password.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function parseRecord(record: string): { cost: PasswordCost; salt: Buffer; key: Buffer } {
  const [, log2N, r, p, salt = '', key = ''] =
    /^scrypt:v1:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w+/=]+):([\w+/=]+)$/.exec(record) ?? [];
  if (key === '') {
    throw new Error('the stored login password has an unknown format: restore monitor.json from a backup');
  }
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}
