// What the hub takes from its command line and its variables: each accepted or refused at the bounds of what may be.
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { hubSettings, hubUsage } from '#hub/base/config.ts';
import { hubVariables } from '#hub/base/settings/variables/table.ts';
import type { Variable } from '#hub/base/settings/variables/variable.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Settings from these variables alone; a sentence when they are refused. */
function settingsOf(variables: Record<string, string>, given: Parameters<typeof hubSettings>[0] = {}) {
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ HOST: '', PORT: '', ...variables })) {
    vi.stubEnv(name, value);
  }
  try {
    return hubSettings(given);
  } catch (error) {
    return String((error as Error).message);
  }
}
type Options = Exclude<ReturnType<typeof settingsOf>, string>['options'];
const optionsOf = (variables: Record<string, string>, given: Parameters<typeof hubSettings>[0] = {}): Options => {
  const settings = settingsOf(variables, given);
  return typeof settings === 'string' ? expect.fail(settings) : settings.options;
};

test('the command line comes before variables, and variables before what a hub has by itself', () => {
  const places = ({ host, port, dataDir }: Options) => [host, port, dataDir];
  expect(places(optionsOf({}))).toEqual(['127.0.0.1', 3000, './data']);
  const variables = { HOST: '::1', PORT: '3001', MONITOR_DATA_DIR: '/b' };
  expect(places(optionsOf(variables))).toEqual(['::1', 3001, '/b']);
  expect(places(optionsOf(variables, { host: '127.0.0.2', port: '0', data: '/c' }))).toEqual(['127.0.0.2', 0, '/c']);
  for (const port of ['65536', '-1', 'x']) {
    expect(settingsOf({}, { port })).toMatch(/^--port must be a whole number from 0 to 65535/);
  }
  const rates = { READS: '10', WRITES: '5', WINDOW_MS: '1000' };
  const agents = { REQUESTS_PER_MINUTE: '1', CONCURRENCY: '2', WRITES_PER_IP: '30' };
  const named = [
    ...Object.entries(rates).map(([name, value]) => [`MONITOR_RATE_LIMIT_${name}`, value] as const),
    ...Object.entries(agents).map(([name, value]) => [`MONITOR_AGENT_INGEST_${name}`, value] as const),
  ];
  expect(optionsOf({ ...Object.fromEntries(named), MONITOR_AGENT_CORRELATION_WINDOW_MS: '4' })).toMatchObject({
    rate: { reads: 10, writes: 5, windowMs: 1000 },
    agents: { requestsPerMinute: 1, concurrent: 2, perAddress: 30, correlationMs: 4 },
  });
  expect(settingsOf({ LOG_LEVEL: 'debug', MONITOR_WATCHDOG_STALL_MS: '3600000' })).toMatchObject({
    ...{ logLevel: 'debug', stallMs: 3_600_000 },
  });
});

test('a public address is http or https without user, query or fragment; that of a service is https, or on loopback', () => {
  const url = (variable: string, text: string) => {
    const settings = settingsOf({ [variable]: text });
    const { options } = typeof settings === 'string' ? { options: null } : settings;
    const all = {
      PUBLIC_URL: options?.publicUrl,
      CHAT_API_URL: options?.chatApiUrl,
      THREAT_MIRROR: options?.threatMirror,
    };
    return options === null ? settings : all[variable.slice('MONITOR_'.length) as keyof typeof all]?.href;
  };
  for (const text of ['http://hub.example/', 'https://hub.example/sub', 'http://127.0.0.1:1/']) {
    expect(url('MONITOR_PUBLIC_URL', text)).toBe(text);
  }
  const refused = /must be an http or https address without user, query or fragment$/;
  const parts = [
    'hub.example',
    'ftp://hub.example',
    'xhttp://hub.example/',
    'httpsx://hub.example/',
    'https://a@hub.example',
  ];
  for (const text of [...parts, 'https://:b@hub.example', 'https://hub.example/?a', 'https://hub.example/#a']) {
    expect([text, url('MONITOR_PUBLIC_URL', text)]).toEqual([text, expect.stringMatching(refused)]);
  }
  for (const variable of ['MONITOR_CHAT_API_URL', 'MONITOR_THREAT_MIRROR']) {
    expect(url(variable, 'https://chat.example/api')).toBe('https://chat.example/api/');
    expect(url(variable, 'https://chat.example/api/')).toBe('https://chat.example/api/');
    expect(url(variable, 'http://[::1]:1/api')).toBe('http://[::1]:1/api/');
    expect(url(variable, 'http://chat.example/')).toMatch(/must be https, or http on loopback$/);
    expect(url(variable, 'chat.example')).toMatch(refused);
  }
});

test('keys, name servers, folders and the program after a backup are taken whole or refused', () => {
  const key = '0123456789abcdef'.repeat(4);
  expect(optionsOf({ MONITOR_SECRET_KEY: key }).secretKey).toBe(key);
  for (const wrong of [`${key}0`, key.slice(1), key.toUpperCase(), `0${key}`]) {
    expect(settingsOf({ MONITOR_SECRET_KEY: wrong })).toBe('MONITOR_SECRET_KEY: must be 64 hex digits');
  }
  expect(optionsOf({}).internalDns).toBe('');
  expect(optionsOf({ MONITOR_INTERNAL_DNS: '192.168.1.1:53' }).internalDns).toBe('192.168.1.1:53');
  expect(settingsOf({ MONITOR_INTERNAL_DNS: 'dns.example' })).toMatch(/must be the IP address of a name server/);
  const folders = (text: string) => settingsOf({ MONITOR_LOG_PATH_PREFIXES: text });
  expect(optionsOf({}).logPathPrefixes).toEqual([]);
  expect(folders(' /var/log/a , ,/b')).toMatchObject({ options: { logPathPrefixes: ['/var/log/a', '/b'] } });
  for (const wrong of ['b', '/', '//b', 'x/b']) {
    expect(folders(`/a,${wrong}`)).toBe(`MONITOR_LOG_PATH_PREFIXES: "${wrong}" is not an absolute path of a folder`);
  }
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'hook');
  const hook = (text: string) => settingsOf({ MONITOR_BACKUP_HOOK: text });
  const says = 'MONITOR_BACKUP_HOOK: must be the absolute path of a program that this user may run';
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  expect(hook(file)).toBe(says);
  chmodSync(file, 0o700);
  expect(hook(file)).toMatchObject({ options: { backupHook: file } });
  for (const wrong of [path.relative('.', file), folder.path, `${file} absent`]) {
    expect(hook(wrong)).toBe(says);
  }
});

test('--help names each variable, and no message quotes a secret', () => {
  for (const [name, { schema, secret, text }] of Object.entries<Variable>(hubVariables)) {
    expect(hubUsage).toContain(`\n  ${name}`);
    expect(text).toMatch(/\.$/);
    const isNamedAsSecret = /PASSWORD|TOKEN|_KEY$/.test(name);
    expect([name, secret ?? false]).toEqual([name, isNamedAsSecret]);
    const { error } = schema.safeParse('~never~shown~'.repeat(50));
    expect([name, secret && error?.message.includes('~never~')]).not.toEqual([name, true]);
  }
});
