// A reason that differs from the usual one of its class has a class and a name, and keeps both.
import { expect, test } from 'vitest';
import { ShellError } from '#hub/collect/routers/driver.ts';

test('a variant of a failure has its class, also with rows or other facts', () => {
  const failure = new ShellError('login_late', 'the login took too long', { lastLine: 'secret' });
  for (const same of [failure, failure.after([]), failure.with({ lastLine: '' })]) {
    expect([same.failure, same.variant, same.message]).toEqual(['timed_out', 'login_late', 'the login took too long']);
  }
  expect(failure.with({ lastLine: '' }).facts).toEqual({ lastLine: '' });
});

test('the usual reason of a class is no variant', () => {
  const failure = new ShellError('timed_out', 'the answer took too long');
  expect([failure.failure, failure.variant]).toEqual(['timed_out', null]);
});
