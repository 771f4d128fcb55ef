// Why ClickHouse did not take or give rows, as a sentence with what to do.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CauseCode } from '#contract/facts.ts';
import { type SinkSettings, sinkEnv, sinkSettings } from '#hub/base/settings/sink.ts';
import { toSinkFailure } from '#hub/record/sink/sink-failure.ts';

function settingsFor(url: string, reader?: string): SinkSettings {
  const password = reader === undefined ? {} : { MONITOR_CLICKHOUSE_READER_PASSWORD: reader };
  const settings = sinkSettings(z.object(sinkEnv).parse({ MONITOR_CLICKHOUSE_URL: url, ...password }));
  if (settings === null) {
    throw new Error('no address was given');
  }
  return settings;
}

const settings = settingsFor('https://clickhouse.test:8443', 'look');
const place = 'ClickHouse (https://clickhouse.test:8443)';
/** As the client words an exception of the server. */
const failure = (code: unknown, message = 'it failed') => Object.assign(new Error(message), { code });
const sentenceOf = (error: unknown, as?: 'writer' | 'reader') => toSinkFailure(error, settings, as).sentence;

test('a server that never answers is one to look at', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, request_timeout: 50 });
  const error = await client.ping({ select: true }).then((answer) => (answer.success ? null : answer.error));
  await client.close();
  server.closeAllConnections();
  server.close();
  expect(toSinkFailure(error, settingsFor(url))).toEqual({
    ...{ kind: 'server', cause: 'timed_out' },
    sentence: `ClickHouse (${url}): no answer: see that the server runs and can be reached`,
  });
});

test.each([6, '25', 26, 27, '38', 41, 53, 69, '72', 117, 130, 131, 190, 349, 691])(
  'code %s is of the rows: others may pass',
  (code) => {
    expect(toSinkFailure(failure(code, 'Cannot parse\nat row 1'), settings)).toEqual({
      kind: 'rows',
      sentence: `${place} does not take some rows (code ${code}): Cannot parse`,
    });
  },
);

test.each<[code: string | number, part: RegExp]>([
  [60, /: gatehouse has no table flow_hour: run the statements of "gatehouse sink schema" there$/],
  ['81', /: there is no database gatehouse: .*MONITOR_CLICKHOUSE_DATABASE$/],
  [16, /: the table is not that of this version/],
  [243, /: the disk of the server is full/],
  [252, /: the server has too many parts/],
  [241, /: the server has too little memory/],
  ['ECONNREFUSED', /: nothing listens there/],
  ['ENOTFOUND', /: the name is not known: see MONITOR_CLICKHOUSE_URL$/],
  ['EAI_AGAIN', /: the name cannot be looked up now$/],
  ['ETIMEDOUT', /: no answer/],
  ['ECONNRESET', /: the connection was cut$/],
  ['EPIPE', /: the connection was cut$/],
  ['CERT_HAS_EXPIRED', /: its certificate is not trusted \(CERT_HAS_EXPIRED\): name the authority/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /: its certificate is not trusted/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /: its certificate is not trusted/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /: its certificate is not trusted/],
  ['ERR_TLS_ALTNAME_INVALID', /: its certificate is not trusted/],
])('%s is of the server, and the sentence says what to do', (code, part) => {
  const { kind, sentence } = toSinkFailure(failure(code), settings);
  expect(kind).toBe('server');
  expect(sentence.startsWith(place)).toBe(true);
  expect(sentence).toMatch(part);
});

test.each<[code: string | number, cause: CauseCode | undefined]>([
  ['ECONNREFUSED', 'refused'],
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ...[60, 81, 16].map((code) => [code, 'table_missing'] satisfies [number, CauseCode]),
  ...[497, 516].map((code) => [code, 'login_refused'] satisfies [number, CauseCode]),
  ...[241, 252].map((code) => [code, 'overloaded'] satisfies [number, CauseCode]),
  [243, 'no_space'],
  [999, undefined],
])('the page gets the cause of %s as a code, where there is one', (code, cause) => {
  expect(toSinkFailure(failure(code), settings).cause).toBe(cause);
});

test('a refusal names the user that was refused, and its variables', () => {
  expect(sentenceOf(failure(497))).toContain('the user gatehouse_writer may not insert: run');
  expect(sentenceOf(failure(497), 'reader')).toContain('the user gatehouse_reader may not read: run');
  const variables = (prefix: string) => `see ${prefix}_USER and ${prefix}_PASSWORD`;
  expect(sentenceOf(failure(516))).toContain(
    `gatehouse_writer or its password is refused: ${variables('MONITOR_CLICKHOUSE')}`,
  );
  expect(sentenceOf(failure(516), 'reader')).toContain(
    `gatehouse_reader or its password is refused: ${variables('MONITOR_CLICKHOUSE_READER')}`,
  );
});

test('what has no code of its own is shown by its first line, of 200 letters at most', () => {
  for (const error of [failure({}, 'a proxy\nand more'), new Error('  a proxy  '), 'a proxy']) {
    expect(toSinkFailure(error, settings)).toEqual({ kind: 'server', sentence: `${place} failed: a proxy` });
  }
  expect(sentenceOf(failure(999, 'x'.repeat(200)))).toBe(`${place} failed: ${'x'.repeat(200)}`);
  expect(sentenceOf(failure('', 'x'.repeat(201)))).toBe(`${place} failed: ${'x'.repeat(200)} …`);
  expect(sentenceOf(new Error('\nbehind'))).toBe(`${place} failed: it gave no reason`);
  for (const nothing of [null, undefined]) {
    expect(toSinkFailure(nothing, settings).kind).toBe('server');
  }
  expect(toSinkFailure(failure(497), settingsFor('https://clickhouse.test'), 'reader').sentence).toContain(
    'the user  may not',
  );
  // With a code, its remedy counts and not the words; a sentence about something else is no time limit.
  expect(sentenceOf(failure('EPIPE', 'Timeout error.'))).toMatch(/the connection was cut$/);
  expect(sentenceOf(new Error('no Timeout error'))).toBe(`${place} failed: no Timeout error`);
});
