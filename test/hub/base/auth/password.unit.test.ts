// Hashes of the login password, the rules for a new one, and the count of failures.
import { expect, test } from 'vitest';
import { createLockOut } from '#hub/base/auth/credentials/lock-out.ts';
import { createPasswords, standardCost } from '#hub/base/auth/credentials/password.ts';
import { createPassword, passwordWeakness } from '#hub/base/auth/credentials/password-rules.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const cheap = { log2N: 4, r: 8, p: 1 };

test('a record has a salt of its own, and is as costly as it must be', async () => {
  expect(standardCost.log2N).toBeGreaterThanOrEqual(17);
  expect([standardCost.r, standardCost.p]).toEqual([8, 1]);
  const passwords = createPasswords();
  const record = await passwords.hash('correct horse battery staple');
  expect(record).toMatch(/^scrypt:v1:17:8:1:[\w+/]{22}==:[\w+/]{86}==$/);
  expect(await passwords.verify('correct horse battery staple', record)).toEqual({ matches: true, outdated: false });
  const others = createPasswords(cheap);
  expect(await others.hash('x')).not.toBe(await others.hash('x'));
  expect(await others.verify('x', await others.hash('y'))).toEqual({ matches: false, outdated: false });
});

test('the same letters match however they are composed', async () => {
  const passwords = createPasswords(cheap);
  const record = await passwords.hash('caf\u00e9 au lait, s\u2019il');
  expect((await passwords.verify('cafe\u0301 au lait, s\u2019il', record)).matches).toBe(true);
});

test('every character counts, its case and the spaces around it too, up to the last of 256', async () => {
  const passwords = createPasswords(cheap);
  const password = ` Four words, ${'or many more '.repeat(18)}END`;
  expect(password.length).toBeGreaterThan(240);
  expect(passwordWeakness(password)).toBeNull();
  expect(passwordWeakness('vjq'.padEnd(256, 'lamp harbour '))).toBeNull();
  const record = await passwords.hash(password);
  const others = [
    password.toLowerCase(),
    password.trim(),
    password.slice(0, -1),
    password.slice(0, 72),
    `${password} `,
  ];
  for (const other of others) {
    expect((await passwords.verify(other, record)).matches, other.slice(0, 20)).toBe(false);
  }
  expect((await passwords.verify(password, record)).matches).toBe(true);
});

test('a record of another format is an error, not a wrong password', async () => {
  const passwords = createPasswords(cheap);
  const strange = ['', 'scrypt:v2:4:8:1:aa:bb', 'plain', 'scrypt:v1:4:8:1:aa', 'xscrypt:v1:4:8:1:aa:bb'];
  for (const record of [...strange, 'scrypt:v1:4:8:1:aa:bb:', 'scrypt:v1:100:8:1:aa:bb', 'scrypt:v1:4:8:1:a-a:bb']) {
    await expect(passwords.verify('x', record)).rejects.toThrow(/unknown format/);
  }
});

test('a record with a shorter key matches nothing; one of any other parameter is outdated', async () => {
  const passwords = createPasswords(cheap);
  const record = await passwords.hash('x');
  expect(await passwords.verify('x', record.slice(0, -4))).toEqual({ matches: false, outdated: false });
  for (const other of [{ log2N: 10 }, { r: 16 }, { p: 12 }]) {
    const made = await createPasswords({ ...cheap, ...other }).hash('x');
    expect(await passwords.verify('x', made)).toEqual({ matches: true, outdated: true });
  }
});

test('two are computed at once, 32 wait, more are turned away', async () => {
  const passwords = createPasswords({ log2N: 12, r: 8, p: 1 });
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.hash('x')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(outcomes.length - refused.length).toBe(34);
  expect(refused[0]?.reason).toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '5' } });
  await expect(passwords.hash('x')).resolves.toMatch(/^scrypt:/);
});

test.each<[string, 'repeat' | 'common' | null]>([
  ['avbwcavcbwacbv', null],
  ['avbwavwbavbbwa', 'repeat'],
  ['qxj7kvqxj7kvqxj7k', 'repeat'],
  ['qxj7kvwqxj7kvwqxj7kvw', null],
  ['qxj7kvqxj7kv12345', 'repeat'],
  ['qxj7kvqxj7kv123456', null],
  ['Qxj7kVqXj7kv', 'repeat'],
  ['lkjhgfdsaq', 'common'],
  ['zyxwvutsrqponm', 'common'],
  ['abczxcqwepoi', null],
  ['abcd efgh ijkl', 'common'],
  ['passwordabcdqxj', null],
  ['lamp12345678', null],
  ['passwordqxj12345678', null],
  ['passwordqx12345678', 'common'],
  ['12345678qxpassword', 'common'],
  ['PASSWORDdragonROUTER', 'common'],
  ['password!"#$%&/(', 'common'],
  ['qxj5173926', null],
])('a new password %s: %s', (password, why) => {
  const says = { repeat: /same few characters/, common: /common words/ };
  const sentence = why && expect.stringMatching(says[why]);
  expect(passwordWeakness(password)).toEqual(why && expect.objectContaining({ sentence }));
});

test('three characters of its own are enough beside common words, two are not', () => {
  expect(passwordWeakness('passwordwelcomeqxj')).toBeNull();
  expect(passwordWeakness('passwordwelcomeqxq')).toMatchObject({ code: 'password_common' });
});

test('a made password has 16 characters, none like another, and passes the rules', () => {
  const made = Array.from({ length: 500 }, createPassword);
  expect(new Set(made).size).toBe(500);
  for (const password of made) {
    expect(password).toMatch(/^[2-9A-HJ-NP-Za-kmnp-z]{16}$/);
    expect(passwordWeakness(password)).toBeNull();
  }
});

test('an attempt that could not be judged counts as nothing', async () => {
  const lockOut = createLockOut(new ManualClock());
  const broken = () => Promise.reject(new Error('no memory'));
  for (let count = 0; count < 10; count += 1) {
    await expect(lockOut.attempt('10.0.0.1', broken)).rejects.toThrow('no memory');
  }
  expect(await lockOut.attempt('10.0.0.1', () => Promise.resolve(true))).toBe(true);
});

test('attempts of one client are judged one after the other, those of two side by side', async () => {
  const lockOut = createLockOut(new ManualClock());
  const running: string[] = [];
  const open: (() => void)[] = [];
  const attempt = (client: string) =>
    lockOut.attempt(client, () => {
      running.push(client);
      return new Promise<boolean>((resolve) => open.push(() => resolve(true)));
    });
  const all = [attempt('10.0.0.1'), attempt('10.0.0.1'), attempt('10.0.0.2'), attempt('::ffff:10.0.0.2')];
  await new Promise((resolve) => setImmediate(resolve));
  expect(running).toEqual(['10.0.0.1', '10.0.0.2']);
  for (const finish of open.splice(0)) {
    finish();
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(running.slice(2).sort()).toEqual(['10.0.0.1', '::ffff:10.0.0.2']);
  for (const finish of open.splice(0)) {
    finish();
  }
  expect(await Promise.all(all)).toEqual([true, true, true, true]);
});
