// The variables of the sink: what is not understood or not safe is said before anything starts.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type SinkSettings, sinkEnv, sinkSettings } from '#hub/base/settings/sink.ts';
import { readEnv } from '#kernel/process/env.ts';

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

test('each variable has its own place in the settings', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----';
  const env = {
    MONITOR_CLICKHOUSE_URL: 'http://127.0.0.1:8123',
    MONITOR_CLICKHOUSE_DATABASE: 'a'.repeat(128),
    MONITOR_CLICKHOUSE_USER: '0-_.Z',
    MONITOR_CLICKHOUSE_PASSWORD: 'w'.repeat(512),
    MONITOR_CLICKHOUSE_READER_USER: 'z',
    MONITOR_CLICKHOUSE_READER_PASSWORD: 'r'.repeat(512),
    MONITOR_CLICKHOUSE_CA: certificate,
    MONITOR_CLICKHOUSE_HUB: '9',
    MONITOR_CLICKHOUSE_TTL_DAYS: '36500',
  };
  expect(settingsOf(env)).toEqual({
    url: new URL('http://127.0.0.1:8123'),
    database: 'a'.repeat(128),
    writer: { name: '0-_.Z', password: 'w'.repeat(512) },
    reader: { name: 'z', password: 'r'.repeat(512) },
    ca: certificate,
    hub: '9',
    ttlDays: 36_500,
  });
  expect(settingsOf({ ...env, MONITOR_CLICKHOUSE_TTL_DAYS: '0' })?.ttlDays).toBeNull();
});

test.each([
  ['MONITOR_CLICKHOUSE_URL', 'clickhouse.test:8443'],
  ['MONITOR_CLICKHOUSE_URL', 'not an address'],
  ['MONITOR_CLICKHOUSE_URL', 'ftp://clickhouse.test'],
  ['MONITOR_CLICKHOUSE_URL', 'https://user@clickhouse.test'],
  ['MONITOR_CLICKHOUSE_URL', 'https://:password@clickhouse.test'],
  ['MONITOR_CLICKHOUSE_URL', 'https://clickhouse.test/?database=other'],
  ['MONITOR_CLICKHOUSE_URL', 'https://clickhouse.test/#other'],
  ['MONITOR_CLICKHOUSE_URL', 'https://clickhouse.test/path'],
  ['MONITOR_CLICKHOUSE_DATABASE', 'a database'],
  ['MONITOR_CLICKHOUSE_USER', '.hidden'],
  ['MONITOR_CLICKHOUSE_READER_USER', 'a`b'],
  ['MONITOR_CLICKHOUSE_HUB', ''.padEnd(129, 'h')],
  ['MONITOR_CLICKHOUSE_PASSWORD', ''.padEnd(513, 'p')],
  ['MONITOR_CLICKHOUSE_READER_PASSWORD', ''.padEnd(513, 'p')],
  ['MONITOR_CLICKHOUSE_CA', '/etc/ssl/own.pem'],
  ['MONITOR_CLICKHOUSE_TTL_DAYS', 'two years'],
  ['MONITOR_CLICKHOUSE_TTL_DAYS', '36501'],
  ['MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT', 'yes'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => settingsOf({ MONITOR_CLICKHOUSE_URL: 'https://clickhouse.test', [name]: value })).toThrow(`${name}: `);
});

test('plain HTTP to another machine is refused unless it was accepted', () => {
  const url = { MONITOR_CLICKHOUSE_URL: 'http://clickhouse.test:8123' };
  expect(() => settingsOf(url)).toThrow('MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT=true');
  expect(() => settingsOf({ ...url, MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT: 'false' })).toThrow('plain HTTP');
  expect(settingsOf({ ...url, MONITOR_CLICKHOUSE_ACCEPT_PLAINTEXT: 'true' })?.url.protocol).toBe('http:');
});
