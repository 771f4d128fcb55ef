// The filter every text of a device goes through: no secret is shown, whole, in pieces or disguised; the rest is.
import { describe, expect, test } from 'vitest';
import { createSecrecy } from '#hub/collect/routers/shell/secrecy.ts';
import { type Attempt, sshFailure } from '#hub/collect/routers/shell/ssh-failure.ts';
import { messageOf } from '#kernel/errors.ts';

const secret = 's3cret-Horse';

describe('a line', () => {
  test.each([
    'you typed s3cret-Horse',
    'YOU TYPED S3CRET-HORSE',
    's3c ret-Horse',
    's3cret\u200b-Horse\u202e',
    's.3.c.r.e.t.-.H.o.r.s.e',
    `${'x'.repeat(112)}s3cret-H`,
  ])('%j is not shown', (text) => {
    const secrecy = createSecrecy(['other', secret]);
    expect([secrecy.line(text), secrecy.name(text)]).toEqual(['', '']);
    expect(secrecy.hasWithheld()).toBe(true);
  });

  test.each(['edge-rtr1', 'Last login from 192.0.2.1', 's3cret', ''])('%j is shown', (text) => {
    const secrecy = createSecrecy([secret]);
    expect([secrecy.line(text), secrecy.name(text)]).toEqual([text, text]);
    expect(secrecy.hasWithheld()).toBe(false);
  });

  test('whose bytes were read in another character set is not shown', () => {
    const shown = new TextDecoder('shift_jis').decode(Buffer.from('pässwörd-ß'));
    expect(createSecrecy(['pässwörd-ß']).line(`echo ${shown}`)).toBe('');
  });
});

describe('a secret broken over lines', () => {
  test.each([
    [
      ['table: s3cre', 't-Horse'],
      ['table: s3cre', 't-Horse', 'xt-horse'],
    ],
    [
      ['s3cr', 'et-H', 'orse rest'],
      ['s3cr', 'ET-H!', 'orse rest'],
    ],
    [
      ['s3cr', '', '  et-H', 'orse'],
      ['s3cr', 'et-H', 'orse'],
    ],
  ])('%j', (lines, hidden) => {
    const secrecy = createSecrecy([secret]);
    for (const line of ['before', ...lines, 'after']) {
      secrecy.watch(line);
    }
    expect(hidden.map((text) => secrecy.line(text))).toEqual(hidden.map(() => ''));
    expect([secrecy.line('before'), secrecy.name('after')]).toEqual(['before', 'after']);
  });

  test('into single characters: nothing of this connection is quoted any more', () => {
    const secrecy = createSecrecy([secret]);
    for (const line of secret) {
      secrecy.watch(line);
    }
    expect([secrecy.line('anything'), secrecy.name('edge')]).toEqual(['', '']);
  });
});

describe('a short secret', () => {
  test.each(['a', 'ab', 'abc', '...'])('%j: no line is quoted, a name only without it', (short) => {
    const secrecy = createSecrecy([short]);
    expect(secrecy.line('Last login from 192.0.2.1')).toBe('');
    expect(secrecy.name('table-lamp')).toBe('table-lamp');
    expect(secrecy.name(`it is ${short}`)).toBe('');
  });

  test('an empty one is none', () => {
    expect(createSecrecy(['', '']).line('Last login')).toBe('Last login');
  });
});

describe('what an SSH connection attempt ended in', () => {
  const failureWith = (attempt: Partial<Attempt>, said: string | null) => {
    const secrecy = createSecrecy([secret]);
    const nothing = {
      identification: '',
      methods: null,
      answered: false,
      refusedHostFp: null,
      pinnedHostFp: null,
      legacyAlgorithms: false,
    };
    const whole = { ...nothing, address: '192.168.1.1:22', phase: 'handshake' as const, algorithms: [], greeting: '' };
    return sshFailure({ ...whole, secrecy, ...attempt }, said === null ? null : new Error(said));
  };
  const lists = { what: 'kex', ours: 'curve25519-sha256', theirs: `group1-sha1,${secret}` };

  test.each<[string, Partial<Attempt>, string | null]>([
    ['a disconnect with a text', {}, `you know ${secret}`],
    ['a disconnect that looks like ours', {}, `Handshake failed: no matching ${secret}`],
    ['a list of algorithms', { algorithms: [lists] }, 'Handshake failed: no matching key exchange algorithm'],
    ['a list of methods', { phase: 'auth', answered: true, methods: ['publickey', secret] }, null],
    ['a greeting', { greeting: `go away, ${secret}` }, null],
    ['a greeting of another service', { greeting: `220 ${secret}` }, null],
    ['a greeting that refuses', { greeting: `Error: Login access is restricted. ${secret}` }, null],
  ])('%s', (_what, attempt, said) => {
    const error = failureWith(attempt, said);
    expect(JSON.stringify([error.message, error.facts, error.stack, messageOf(error.cause)])).not.toContain(secret);
    expect(error.message).toMatch(/\.$/);
  });

  test('what holds none is told', () => {
    expect(
      failureWith({ algorithms: [lists] }, 'Handshake failed: no matching key exchange algorithm').message,
    ).toContain('It offers group1-sha1; this program offers curve25519-sha256.');
    expect(failureWith({ greeting: 'go away' }, 'Connection lost').facts).toEqual({
      cause: 'Connection lost',
      greeting: 'go away',
    });
  });
});
