// The model of the storm: which values writes at the same time leave possible.
import { expect, test } from 'vitest';
import { Register } from './register.ts';

test('the later of two acknowledged writes is the value; a refused one never is', () => {
  const register = new Register('x', 'first');
  register.begin('a')('acknowledged');
  register.begin('b')('acknowledged');
  register.begin('c')('refused');
  expect(register.possible()).toEqual(['b']);
  expect(register.problem('b')).toBeNull();
  expect(register.problem('a')).toBe('x is "a", but the writes that were acknowledged leave "b"');
  expect(register.problem('c')).toMatch(/leave "b"$/);
});

test('of two writes at the same time either may be the last', () => {
  const register = new Register('x', 'first');
  const a = register.begin('a');
  const b = register.begin('b');
  b('acknowledged');
  a('acknowledged');
  expect(register.possible()).toEqual(['a', 'b']);
  expect(register.problem('first')).not.toBeNull();
});

test('a write without an answer may have happened or not, also later than its request', () => {
  const register = new Register('x', 'first');
  register.begin('lost')('unknown');
  register.begin('a')('acknowledged');
  expect(register.possible()).toEqual(['lost', 'a']);
  expect(register.problem('first')).not.toBeNull();
});
