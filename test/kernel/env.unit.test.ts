// Settings from files, the environment itself, and the words for what a variable may be.
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  childEnv,
  environmentWith,
  flag,
  oneOf,
  orDefault,
  readEnv,
  variableNames,
  whole,
} from '#kernel/process/env.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const schema = z.object({ SECRET: z.string().optional(), COUNT: orDefault(whole(10, 20).default(15)) });
const quiet = () => undefined;

test('a value is the trimmed text of a file where only that is named', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'secret');
  writeFileSync(file, ' from a file\n');
  expect(readEnv(schema, { SECRET_FILE: file })).toEqual({ SECRET: 'from a file', COUNT: 15 });
  expect(readEnv(schema, { SECRET: '', SECRET_FILE: file }).SECRET).toBe('from a file');
  expect(readEnv(schema, { SECRET: 'given', SECRET_FILE: '/nowhere' }).SECRET).toBe('given');
  expect('SECRET' in readEnv(schema, { SECRET_FILE: '' })).toBe(false);
  expect(() => readEnv(schema, { SECRET_FILE: folder.path })).toThrow(
    expect.objectContaining({
      message: `SECRET_FILE: ${folder.path} cannot be read`,
      cause: expect.objectContaining({ code: 'EISDIR' }),
    }),
  );
  writeFileSync(file, '\n');
  expect('SECRET' in readEnv(schema, { SECRET_FILE: file })).toBe(false);
});

test('a range has its ends in it, and a number of more than 15 digits is none', () => {
  for (const text of ['10', '20', '000000000000020']) {
    expect(readEnv(schema, { COUNT: text }, quiet).COUNT).toBe(Number(text));
  }
  const wide = z.object({ N: whole(0, Number.MAX_SAFE_INTEGER) });
  expect(readEnv(wide, { N: '0' }).N).toBe(0);
  expect(readEnv(wide, { N: '999999999999999' }).N).toBe(999_999_999_999_999);
  for (const text of ['1000000000000000', 'x1', '1x', '']) {
    expect(() => readEnv(wide, { N: text })).toThrow(/^N: /);
  }
});

test('a variable that must be there is said to be missing, with the words it may be', () => {
  const must = z.object({ NAME: z.string(), LEVEL: oneOf(['low', 'middle', 'high']), ON: flag() });
  expect(() => readEnv(must, { LEVEL: 'low' })).toThrow(/^NAME: is not set$/);
  expect(() => readEnv(must, { NAME: 'a' })).toThrow(/^LEVEL: is not set; it is low, middle or high$/);
  expect(() => readEnv(must, { NAME: 'a', LEVEL: 'x' })).toThrow(/^LEVEL: must be low, middle or high, not "x"$/);
  expect(readEnv(must, { NAME: 'a', LEVEL: 'middle', OTHER: 'x' })).toEqual({ NAME: 'a', LEVEL: 'middle', ON: false });
  const whole = z.object({ A: z.string().optional() }).refine(() => false, 'nothing is right');
  expect(() => readEnv(whole, {})).toThrow(/^environment: nothing is right$/);
});

test('without a place for it, the warning of a default is one of the process', () => {
  const { emitWarning } = process;
  const warned: unknown[] = [];
  process.emitWarning = (warning: string | Error) => void warned.push(warning);
  try {
    expect(readEnv(schema, { COUNT: '9' }).COUNT).toBe(15);
  } finally {
    process.emitWarning = emitWarning;
  }
  expect(warned).toEqual(['COUNT: must be a whole number from 10 to 20, not "9"; the default is used: 15']);
});

test('the environment of this process: over a private file, by name, and for children', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'env');
  writeFileSync(file, 'GATEHOUSE_TEST_A=file\nGATEHOUSE_TEST_B="of two words"\n', { mode: 0o600 });
  process.env.GATEHOUSE_TEST_A = 'process';
  process.env.GATEHOUSE_TEST_EMPTY = '';
  try {
    const { PATH, GATEHOUSE_TEST_A, GATEHOUSE_TEST_B } = environmentWith(file);
    expect([PATH, GATEHOUSE_TEST_A, GATEHOUSE_TEST_B]).toEqual([process.env.PATH, 'process', 'of two words']);
    expect(readEnv(z.object({ GATEHOUSE_TEST_A: z.string() }))).toEqual({ GATEHOUSE_TEST_A: 'process' });
    const names = variableNames();
    expect(names).toContain('GATEHOUSE_TEST_A');
    expect(names).not.toContain('GATEHOUSE_TEST_EMPTY');
    expect(variableNames({ B: '1', A: '1', C: '', D: undefined })).toEqual(['A', 'B']);
    expect(childEnv({ GATEHOUSE_TEST_A: 'child' })).toEqual({ ...process.env, GATEHOUSE_TEST_A: 'child' });
    expect(childEnv()).toEqual({ ...process.env });
  } finally {
    delete process.env.GATEHOUSE_TEST_A;
    delete process.env.GATEHOUSE_TEST_EMPTY;
  }
});

test.each([0o640, 0o604, 0o601])('a file of mode %o holds no secrets', (mode) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'env');
  writeFileSync(file, 'A=1\n');
  chmodSync(file, mode);
  expect(() => environmentWith(file)).toThrow(
    `${file} holds secrets and has mode ${mode.toString(8)}: make it private with chmod 600`,
  );
  chmodSync(file, 0o400);
  expect(environmentWith(file).A).toBe('1');
});

test('a file of variables that is not there is said', () => {
  expect(() => environmentWith('/nowhere/env')).toThrow(
    expect.objectContaining({
      message: '/nowhere/env cannot be read: name a file of NAME=value lines',
      cause: expect.objectContaining({ code: 'ENOENT' }),
    }),
  );
});
