// The memory of the lock-out: bounded, and neither filled to keep others out nor emptied to get in again.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLockOut, type LockOut } from '#hub/base/auth/credentials/lock-out.ts';
import { AppError } from '#kernel/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const minuteMs = 60_000;
const maxClients = 500;

/** How an attempt ends: `right`, `wrong`, or the code of its refusal. */
async function attempt(lockOut: LockOut, address: string, isRight: boolean): Promise<string> {
  try {
    return (await lockOut.attempt(address, async () => isRight)) ? 'right' : 'wrong';
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    return error.code;
  }
}

async function fail(lockOut: LockOut, address: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect([address, await attempt(lockOut, address, false)]).toEqual([address, 'wrong']);
  }
}

const stranger = (n: number) =>
  n % 2 === 0 ? `11.${n >> 16}.${(n >> 8) & 255}.${n & 255}` : `2001:db8:${n.toString(16)}::1`;

test('more clients that fail than can be remembered keep nobody else out, and unlock none', async () => {
  const lockOut = createLockOut(new ManualClock(), maxClients);
  await fail(lockOut, '203.0.113.1', 5);
  for (let n = 0; n < 2 * maxClients; n += 1) {
    await fail(lockOut, stranger(n), 1);
  }
  expect(await attempt(lockOut, '203.0.113.2', true)).toBe('right');
  expect(await attempt(lockOut, '203.0.113.1', true)).toBe('login_locked');
});

test('when all that are known are locked out, the lock that began first is forgotten', async () => {
  const lockOut = createLockOut(new ManualClock(), maxClients);
  await fail(lockOut, '203.0.113.1', 5);
  for (let n = 0; n < maxClients; n += 1) {
    await fail(lockOut, stranger(n), 5);
  }
  expect(await attempt(lockOut, '203.0.113.2', true)).toBe('right');
  expect(await attempt(lockOut, stranger(1), true)).toBe('login_locked');
  expect(await attempt(lockOut, '203.0.113.1', true)).toBe('right');
});

test('one client is locked as the rule says, whatever it tries and when', async () => {
  const attempts = fc.tuple(
    fc.boolean(),
    fc.constantFrom(0, 1, minuteMs, 5 * minuteMs - 1, 5 * minuteMs, 9 * minuteMs),
  );
  const follows = fc.asyncProperty(fc.array(attempts, { minLength: 10, maxLength: 30 }), async (steps) => {
    const clock = new ManualClock();
    const lockOut = createLockOut(clock);
    let failures = 0;
    let windowEndsAt = 0;
    let lockedUntil = 0;
    for (const [isRight, waitMs] of steps) {
      await clock.advance(waitMs);
      const now = clock.now();
      const isLocked = now < lockedUntil;
      const expected = isLocked ? 'login_locked' : isRight ? 'right' : 'wrong';
      expect(await attempt(lockOut, '203.0.113.1', isRight)).toBe(expected);
      if (isLocked || isRight) {
        failures = isLocked ? failures : 0;
        continue;
      }
      if (failures === 0 || now >= windowEndsAt) {
        failures = 0;
        windowEndsAt = now + 10 * minuteMs;
      }
      failures += 1;
      if (failures === 5) {
        failures = 0;
        lockedUntil = now + 5 * minuteMs;
      }
    }
  });
  await fc.assert(follows, { numRuns: 300 });
});

test('clients whose attempts are being judged are judged one after the other, however many others come', async () => {
  const lockOut = createLockOut(new ManualClock(), maxClients);
  const gate = Promise.withResolvers<boolean>();
  const judged: number[] = [];
  const held = Array.from({ length: 7 }, (_, index) =>
    lockOut
      .attempt('203.0.113.1', () => {
        judged.push(index);
        return gate.promise;
      })
      .catch((error: AppError) => error.code),
  );
  for (let n = 0; n < 2 * maxClients; n += 1) {
    await fail(lockOut, stranger(n), 1);
  }
  expect(judged).toEqual([0]);
  gate.resolve(false);
  expect(await Promise.all(held)).toEqual([false, false, false, false, false, 'login_locked', 'login_locked']);
});

test('the client is its IPv4 address, also mapped, or its IPv6 /64', async () => {
  const lockOut = createLockOut(new ManualClock());
  await fail(lockOut, '::ffff:203.0.113.1', 5);
  expect(await attempt(lockOut, '203.0.113.1', true)).toBe('login_locked');
  await fail(lockOut, '2001:db8:1:2::1', 5);
  expect(await attempt(lockOut, '2001:DB8:1:2:ffff::9', true)).toBe('login_locked');
  expect(await attempt(lockOut, '2001:db8:1:3::1', true)).toBe('right');
});

test('who fails while all others are locked out is counted, and locks that are over make room first', async () => {
  const clock = new ManualClock();
  const lockOut = createLockOut(clock, 10);
  for (let n = 0; n < 10; n += 1) {
    await fail(lockOut, stranger(n), 5);
  }
  await fail(lockOut, '203.0.113.1', 5);
  expect(await attempt(lockOut, '203.0.113.1', true)).toBe('login_locked');
  await clock.advance(5 * minuteMs);
  for (let n = 100; n < 110; n += 1) {
    await fail(lockOut, stranger(n), 4);
  }
  for (let n = 100; n < 110; n += 1) {
    expect([await attempt(lockOut, stranger(n), false), await attempt(lockOut, stranger(n), true)]).toEqual([
      'wrong',
      'login_locked',
    ]);
  }
});
