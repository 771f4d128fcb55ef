// The variables of the sink: what is not understood or not safe is said before anything starts.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type SinkSettings, sinkEnv, sinkSettings } from '#hub/sink/settings.ts';
import { readEnv } from '#kernel/env.ts';

const settingsOf = (env: Record<string, string>): SinkSettings | null => sinkSettings(readEnv(z.object(sinkEnv), env));

test('without an address there is no sink', () => {
  expect(settingsOf({ MONITOR_CLICKHOUSE_PASSWORD: 'secret' })).toBeNull();
});

test('an address is enough, everything else has a default', () => {
  expect(settingsOf({ MONITOR_CLICKHOUSE_URL: 'https://clickhouse.test:8443' })).toEqual({
    url: new URL('https://clickhouse.test:8443'),
    database: 'gatehouse',
    writer: { name: 'gatehouse_writer', password: '' },
    reader: null,
    ca: null,
    hub: 'hub',
    ttlDays: null,
  });
});

test('a reader has a password of its own', () => {
  const env = { MONITOR_CLICKHOUSE_URL: 'http://127.0.0.1:8123', MONITOR_CLICKHOUSE_READER_PASSWORD: 'look' };
  expect(settingsOf(env)?.reader).toEqual({ name: 'gatehouse_reader', password: 'look' });
});

test.each([
  ['MONITOR_CLICKHOUSE_URL', 'clickhouse.test:8443'],
  ['MONITOR_CLICKHOUSE_URL', 'https://user:password@clickhouse.test'],
  ['MONITOR_CLICKHOUSE_URL', 'https://clickhouse.test/?database=other'],
  ['MONITOR_CLICKHOUSE_DATABASE', 'a database'],
  ['MONITOR_CLICKHOUSE_HUB', ''.padEnd(129, 'h')],
  ['MONITOR_CLICKHOUSE_CA', '/etc/ssl/own.pem'],
  ['MONITOR_CLICKHOUSE_TTL_DAYS', 'two years'],
  ['MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT', 'yes'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => settingsOf({ MONITOR_CLICKHOUSE_URL: 'https://clickhouse.test', [name]: value })).toThrow(`${name}: `);
});

test('plain HTTP to another machine is refused unless it was accepted', () => {
  const url = { MONITOR_CLICKHOUSE_URL: 'http://clickhouse.test:8123' };
  expect(() => settingsOf(url)).toThrow('MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT=true');
  expect(settingsOf({ ...url, MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT: 'true' })?.url.protocol).toBe('http:');
});
