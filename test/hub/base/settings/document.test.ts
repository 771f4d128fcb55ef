// The settings document: what it says before anything was set, which of it is sealed, and what a start makes of a file.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { byToldKind } from '#contract/destinations.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { absentModes, variablesWithoutEffect } from '#hub/base/settings/other-variables.ts';
import { emptySettings, type Settings, settingsSchema, upgradeSettings } from '#hub/base/settings/schema.ts';
import { secretKey } from '#hub/base/settings/secret-key.ts';
import { mapSecrets } from '#hub/base/settings/secrets.ts';
import { createKey } from '#kernel/text/secret.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const off = { enabled: false, logFile: '' };
const both = { chat: true, history: true };
const defaults = {
  ...{ version: 2, adminTokenHash: null, isFirstTokenUsed: false, isPasswordInitial: false },
  ...{ passwordRecord: null, auditKey: null },
  oidc: { enabled: false, issuer: '', clientId: '', clientSecret: '', allowedEmails: [], allowedDomains: [] },
  general: { homeCountry: 'JP', language: 'ja', autoInvestigate: false, retentionDays: 730, retentionBytes: 0 },
  dataSources: { dns: off, inspect: off, dhcp: off },
  enrichment: {
    ptr: { enabled: false, resolver: '' },
    rdap: { enabled: false, bootstrapUrl: 'https://data.iana.org/rdap/' },
    geo: { enabled: false, url: '', token: '' },
  },
  chat: { enabled: false, token: '', userId: '', displayName: '', cooldownMinutes: 60, tellResolved: false },
  destinations: [],
  detection: { threat: both, newDevice: both, beacon: both, retroMatch: both },
  beacons: {
    ...{ enabled: true, minObs: 8, maxCov: 0.5, minIntervalMs: 20_000, maxIntervalMs: 14_400_000 },
    scanIntervalMs: 3_600_000,
    whitelistDomains: [
      ...['apple.com', 'icloud.com', 'microsoft.com', 'windows.com', 'windowsupdate.com', 'msftconnecttest.com'],
      ...['google.com', 'googleapis.com', 'gstatic.com', 'mozilla.com', 'mozilla.org', 'firefox.com', 'debian.org'],
      'ubuntu.com',
    ],
    orgAllowlist: ['Akamai', 'Amazon', 'Apple', 'Cloudflare', 'Fastly', 'Google', 'Microsoft'],
  },
  threat: {
    ...{ authKey: '', feeds: { feed_c2: true, feed_ioc: true, feed_url: true, feed_drop: true } },
    ...{ dropLevel: 'danger', allowList: [], keys: { rep_a: '', rep_b: '', rep_c: '' } },
    ...{ cacheTtlMinutes: 60, minIntervalSeconds: 15 },
  },
  privacy: { rules: [] },
  blockList: { entries: [], given: { digest: '', changedAt: 0 } },
  agents: { pepper: '', allowPlaintext: false },
  backup: { intervalHours: 24, maxGenerations: 7, maxBackupBytes: 0, autoPrune: false },
  ai: {
    ...{ provider: 'disabled', models: { local: '', cloud_a: '', cloud_b: '', cloud_c: '' } },
    ...{ keys: { cloud_a: '', cloud_b: '' }, consents: { cloud_a: false, cloud_b: false, cloud_c: false } },
    ...{ localEndpoint: 'http://127.0.0.1:11434', region: '', guardrail: { enabled: false, id: '', version: '' } },
    notifications: {
      ...{ frequency: 'off', weekday: 1, time: '09:00', timezone: 'UTC', rangeHours: 168 },
      destinations: { ui: true, chat: false },
      rules: { scheduled: false, danger: false, newDestination: false, increase: false },
      ...{ dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3, dailyLimit: 3, cooldownMinutes: 60 },
      ...{ scheduleSetAt: 0, automationConsent: null },
    },
  },
  ...{ routers: [], tombstones: [], mesh: null, applied: null },
};

test('nothing leaves the hub and nothing is deleted before somebody says so: the settings of a first start', () => {
  expect(emptySettings()).toEqual(defaults);
});

test('a document of version 1, and one from before a section was there, have the defaults of this one', () => {
  const { version, adminTokenHash, routers, tombstones, mesh } = defaults;
  const first = { version: 1, adminTokenHash, routers, tombstones, mesh };
  expect(settingsSchema.parse(upgradeSettings(first))).toEqual(defaults);
  expect(upgradeSettings({ ...first, version })).toEqual({ ...first, version });
  for (const strange of [null, 'text', 7, []]) {
    expect(upgradeSettings(strange)).toBe(strange);
  }
  const threat = { chat: false, history: true };
  expect(settingsSchema.parse({ ...defaults, detection: { threat } }).detection.retroMatch).toEqual(threat);
});

const destination = {
  ...{ id: 'i', name: 'n', enabled: true, tells: byToldKind(true), tellResolved: true, fields: byToldKind(null) },
  ...{ quietHours: null, dangerAnyway: true, muteUntil: null },
};
const webhook = { kind: 'webhook', preset: 'json', to: '', allowPrivate: false } as const;
const mqtt = {
  ...({ kind: 'mqtt', host: 'h', port: 1883, tls: false, ca: '', user: 'u', topic: 't' } as const),
  ...{ discovery: true, allowPrivate: false },
};

/** Settings in which each text is `open`, so that what is sealed shows. */
function filled(): Settings {
  const record = { id: 'r', kind: 'vendor_b', displayName: 'd', hostName: 'h', ip: 'i', port: 22, user: 'u' } as const;
  const more = { nat: '', enabled: true, legacyAlgorithms: false, hostFp: null };
  return {
    ...structuredClone(emptySettings()),
    auditKey: 'open',
    oidc: { ...defaults.oidc, clientSecret: 'open' },
    mesh: { ip: 'i', user: 'u', pass: 'open' },
    routers: [
      { ...record, ...more, pass: 'open', enablePass: 'open' },
      { ...record, ...more, pass: 'open', enablePass: null },
    ],
    enrichment: { ...emptySettings().enrichment, geo: { enabled: true, url: 'u', token: 'open' } },
    chat: { ...emptySettings().chat, token: 'open' },
    destinations: [
      { ...destination, settings: { ...webhook, url: 'open', secret: 'open' } },
      { ...destination, settings: { ...mqtt, password: 'open' } },
    ],
    threat: { ...emptySettings().threat, authKey: 'open', keys: { rep_a: 'open', rep_b: 'open', rep_c: 'open' } },
    agents: { pepper: 'open', allowPlaintext: false },
    ai: { ...emptySettings().ai, keys: { cloud_a: 'open', cloud_b: 'open' } },
  };
}

test('each secret is sealed in the file, nothing else is, and what is empty stays empty', () => {
  const all = filled();
  const expected = JSON.parse(JSON.stringify(all).replaceAll('"open"', '"sealed"'));
  expect(mapSecrets(all, (text) => (text === 'open' ? 'sealed' : `wrong ${text}`))).toEqual(expected);
  expect(all).toEqual(filled());
  expect(mapSecrets(emptySettings(), () => 'sealed')).toEqual(defaults);
});

test('what was saved is there after a restart, with its secrets; with another key a start says what to do', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.json');
  const key = createKey();
  const document = openDocument(file, key);
  expect([document.current(), document.file, existsSync(file)]).toEqual([defaults, file, false]);
  expect(document.update(() => filled())).toEqual(filled());
  expect(document.current()).toEqual(filled());
  expect(readFileSync(file, 'utf8')).not.toContain('"open"');
  expect(openDocument(file, key).current()).toEqual(filled());
  const wrong = `the secrets in ${file} cannot be decrypted with this key: restore the key that encrypted them`;
  expect(() => openDocument(file, createKey())).toThrow(wrong);
});

test('a save that fails changes nothing', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.json');
  const document = openDocument(file, createKey());
  document.update((all) => ({ ...all, adminTokenHash: 'first' }));
  // No file can be put in place of a folder.
  rmSync(file);
  mkdirSync(file);
  expect(() => document.update((all) => ({ ...all, adminTokenHash: 'second' }))).toThrow(
    expect.objectContaining({ code: 'save_failed', message: expect.stringMatching(/EISDIR.*: nothing was changed$/) }),
  );
  expect(document.current().adminTokenHash).toBe('first');
  expect(() =>
    document.update(() => {
      throw new Error('no change');
    }),
  ).toThrow('no change');
  expect(document.current().adminTokenHash).toBe('first');
});

test('a file that holds no settings stops the start with the place of the fault, and stays as it is', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.json');
  for (const [content, place] of [
    [{ ...defaults, backup: { intervalHours: 0 } }, 'backup.intervalHours'],
    [
      { ...defaults, general: { retentionBytes: 9_999_999 } },
      'general.retentionBytes must be 0 for no limit, or at least',
    ],
    [{ ...defaults, version: 3 }, 'version'],
    [[], ''],
  ] as const) {
    writeFileSync(file, JSON.stringify(content));
    expect(() => openDocument(file, createKey())).toThrow(
      `${file} does not hold valid settings (${place || 'the document'} `,
    );
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(content);
  }
});

test('a key is made when nothing needs the one that is missing, and never in place of one that something needs', () => {
  using folder = temporaryFolder();
  const [keyFile, file] = ['secret.key', 'monitor.json'].map((name) => path.join(folder.path, name)) as [
    string,
    string,
  ];
  const key = secretKey(keyFile, file);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect([readFileSync(keyFile, 'utf8'), secretKey(keyFile, file)]).toEqual([`${key}\n`, key]);
  for (const broken of ['', key.slice(1), `${key}0`, `x${key.slice(1)}`]) {
    writeFileSync(keyFile, broken);
    expect(secretKey(keyFile, file)).not.toBe(key);
  }
  const own = secretKey(keyFile, file);
  openDocument(file, own).update(() => filled());
  const before = readFileSync(file, 'utf8');
  writeFileSync(keyFile, 'cut');
  expect(() => secretKey(keyFile, file)).toThrow(
    `${keyFile} does not hold a key (64 hex digits), and ${file} holds secrets sealed by it`,
  );
  expect(() => secretKey(path.join(folder.path, 'none'), file)).toThrow(/none is missing, and .* holds secrets/);
  expect(() => secretKey(folder.path, file)).toThrow('EISDIR');
  expect([readFileSync(keyFile, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['cut', before]);
});

test('variables that this hub does not have are named with what to do; modes that promise privacy stop the start', () => {
  const source = {
    ...{ SUBPATH: '/x', MONITOR_HISTORY_HOT_MAX: '5', MONITOR_TYPO: 'a', MONITOR_KNOWN_FILE: '/f', OTHER: 'b' },
    ...{ MONITOR_URL: 'http://x', MONITOR_TOKEN_FILE: '/t', MONITOR_KNOWN: 'c', VENDOR_A_IP: '192.0.2.1' },
  };
  expect(
    variablesWithoutEffect(['MONITOR_KNOWN'], source)
      .map(({ sentence }) => sentence)
      .sort(),
  ).toEqual([
    'MONITOR_HISTORY_HOT_MAX has no effect: the log is not cached in memory',
    'MONITOR_TYPO has no effect: this hub has no such variable (see --help)',
    'SUBPATH has no effect: put the path into MONITOR_PUBLIC_URL',
    'VENDOR_A_IP has no effect: add the router with POST /api/routers, which seals its secrets',
  ]);
  const modes = Object.values(absentModes);
  expect(modes).toHaveLength(2);
  for (const mode of modes) {
    expect([mode.safeParse('false').success, mode.safeParse(undefined).success]).toEqual([true, true]);
    expect(mode.safeParse('true').error?.issues[0]?.message).toMatch(/^there is no such mode: /);
  }
});
