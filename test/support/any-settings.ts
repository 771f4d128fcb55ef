// Settings that a hub may have stored: whatever its routes accept, in any combination.
import fc from 'fast-check';
import { byToldKind } from '#contract/destinations.ts';
import { feedNames } from '#contract/threat.ts';
import { emptySettings, type Settings } from '#hub/base/settings/schema.ts';
import { deriveUuid } from '#hub/start/config-lists.ts';

const flag = fc.boolean();
/** Printable, also what YAML has to quote. */
const text = fc.oneof(
  fc.constantFrom(
    'off',
    'null',
    '1',
    '~',
    '- a',
    'a: b # c',
    '"',
    "'",
    '{ secret: x }',
    '*a',
    '&a',
    '!secret x',
    '09:00',
    '社内',
  ),
  fc.string({ minLength: 1, maxLength: 30 }).map((one) => one.replace(/\p{C}/gu, '').trim() || 'x'),
);
const secret = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);
const maybe = (one: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), one);
const pick = <const T extends readonly unknown[]>(...values: T): fc.Arbitrary<T[number]> => fc.constantFrom(...values);
const list = (...values: string[]) => fc.subarray(values);
const whole = (min: number, max: number) => fc.integer({ min, max });
const channels = fc.record({ chat: flag, history: flag });
const password = fc.string({ minLength: 1, maxLength: 256, unit: 'grapheme' }).filter((one) => one.length <= 256);
const privateIp = fc.tuple(whole(0, 255), whole(1, 254)).map(([a, b]) => `192.168.${a}.${b}`);

const router = fc
  .record({
    digits: fc.stringMatching(/^[0-9a-f]{8}$/),
    kind: pick('vendor_a', 'vendor_b'),
    displayName: text,
    ip: fc.oneof(privateIp, fc.constant('fd00::1')),
    port: whole(1, 65_535),
    user: text,
    pass: password,
    enablePass: fc.option(password),
    nat: whole(1, 2_147_483_647).map(String),
    enabled: flag,
    legacyAlgorithms: flag,
    hostFp: fc.option(fc.stringMatching(/^[0-9a-f]{64}$/)),
  })
  .map(({ digits, kind, enablePass, nat, ...record }) => ({
    ...record,
    ...{ id: `${kind.replace('_', '-')}-${digits}`, kind, hostName: '' },
    ...{ enablePass: kind === 'vendor_b' ? enablePass : null, nat: kind === 'vendor_a' ? nat : '100' },
  }));

const dataSource = pick({ enabled: false, logFile: '' }, { enabled: true, logFile: '/var/log/some.log' });

const ai = fc
  .record({
    provider: pick('disabled', 'local', 'cloud_a', 'cloud_b', 'cloud_c'),
    automated: flag,
    models: fc.record({
      local: maybe(text),
      cloud_a: maybe(text),
      cloud_b: maybe(text),
      cloud_c: pick('', 'a.b-v1:0'),
    }),
    keys: fc.record({ cloud_a: maybe(secret), cloud_b: maybe(secret) }),
    consents: fc.record({ cloud_a: flag, cloud_b: flag, cloud_c: flag }),
    localEndpoint: pick('http://127.0.0.1:11434', 'http://192.168.1.9:8080/v1'),
    region: pick('', 'eu-central-1'),
    guardrail: pick({ enabled: false, id: '', version: '' }, { enabled: true, id: 'g1', version: 'DRAFT' }),
    notifications: fc.record({
      ...{
        frequency: pick('daily', 'weekly'),
        weekday: whole(0, 6),
        time: pick('00:00', '09:30'),
        timezone: pick('UTC', 'Asia/Tokyo'),
      },
      ...{ rangeHours: whole(1, 24), destinations: pick({ ui: true, chat: false }, { ui: false, chat: true }) },
      rules: fc.record({ scheduled: flag, danger: flag, newDestination: flag, increase: flag }),
      ...{ dangerThreshold: whole(1, 9), newDestinationsThreshold: whole(1, 9), increaseThreshold: whole(1, 9) },
      ...{ dailyLimit: whole(1, 3), cooldownMinutes: whole(60, 120) },
    }),
  })
  .map(({ provider, automated, consents, notifications, ...rest }) => ({
    ...rest,
    provider,
    consents: provider in consents ? { ...consents, [provider]: true } : consents,
    notifications: {
      ...notifications,
      scheduleSetAt: 0,
      automationConsent: automated && provider !== 'disabled' ? provider : null,
    },
  }));

const oidc = fc.oneof(
  fc.constant(emptySettings().oidc),
  fc.record({
    enabled: flag,
    issuer: pick('https://id.example.org', 'https://login.example.net/tenant'),
    clientId: text,
    clientSecret: secret,
    allowedEmails: fc.constant<string[]>(['ann@example.org']),
    allowedDomains: list('example.org', 'example.net'),
  }),
);

const times = fc.option(
  fc.record({
    from: pick('22:00', '00:30'),
    to: pick('07:00', '06:15'),
    timeZone: pick('Asia/Tokyo', 'UTC'),
    days: fc.constant<number[]>([1, 2, 6]),
  }),
);
const destination = fc
  .record({
    ...{ id: fc.uuid(), name: text, enabled: flag, tellResolved: flag, dangerAnyway: flag, quietHours: times },
    tells: fc.record(byToldKind(flag)),
    fields: fc.record(byToldKind(fc.option(list('device', 'mac') as fc.Arbitrary<('device' | 'mac')[]>))),
    settings: fc.oneof(
      fc.record({
        ...{ kind: fc.constant('webhook' as const), preset: pick('json', 'ntfy', 'telegram'), to: maybe(text) },
        ...{ url: pick('https://ntfy.sh/a', 'http://192.168.1.9/hook?a=b'), secret: maybe(secret), allowPrivate: flag },
      }),
      fc.record({
        ...{
          kind: fc.constant('mqtt' as const),
          host: pick('broker.lan', '10.0.0.3'),
          port: whole(1, 65_535),
          tls: flag,
        },
        ...{
          ca: fc.constant(''),
          user: maybe(text),
          password: maybe(secret),
          topic: text,
          discovery: flag,
          allowPrivate: flag,
        },
      }),
      fc.record({
        ...{ kind: fc.constant('email' as const), host: pick('mail.example.org'), port: whole(1, 65_535) },
        ...{
          security: pick('tls', 'starttls', 'none'),
          user: maybe(text),
          password: maybe(secret),
          allowPrivate: flag,
        },
        ...{ from: pick('hub@example.org'), to: fc.constant<string[]>(['ann@example.org', 'bob@example.org']) },
      }),
    ),
  })
  .map((record) => ({ ...record, muteUntil: null }));

const toPrivacyRule = (value: string) =>
  ({
    id: deriveUuid(`range ${value}`),
    kind: 'range',
    value,
    tellThreats: value.length > 9,
    since: 1,
    by: 'terminal',
  }) as const;

export const anySettings: fc.Arbitrary<Settings> = fc
  .record({
    general: fc.record({
      ...{ homeCountry: pick('JP', 'NO', 'DE'), language: pick('ja', 'en'), autoInvestigate: flag },
      ...{ retentionDays: pick(7, 365, 730), retentionBytes: pick(0, 10_000_000) },
    }),
    dataSources: fc.record({ dns: dataSource, inspect: dataSource, dhcp: dataSource }),
    enrichment: fc.record({
      ptr: fc.record({ enabled: flag, resolver: pick('', '192.168.1.1:53') }),
      rdap: fc.record({ enabled: flag, bootstrapUrl: pick('https://data.iana.org/rdap/') }),
      geo: fc.record({
        enabled: flag,
        url: pick('https://geo.example.org/{ip}?a=1#'.slice(0, -1)),
        token: maybe(secret),
      }),
    }),
    chat: fc.record({
      ...{ enabled: flag, token: maybe(secret), userId: maybe(text), displayName: maybe(text), tellResolved: flag },
      cooldownMinutes: pick(0.5, 1, 60),
    }),
    destinations: fc.uniqueArray(destination, { maxLength: 4, selector: ({ id }) => id }),
    privacy: fc.record({
      rules: list('192.168.7.0/24', '10.0.0.9/32', 'fd00::/8').map((all) => all.map(toPrivacyRule)),
    }),
    detection: fc.record({ threat: channels, newDevice: channels, beacon: channels, retroMatch: channels }),
    beacons: fc.record({
      ...{
        enabled: flag,
        minObs: whole(2, 100),
        maxCov: pick(0.25, 2),
        minIntervalMs: whole(1, 9),
        maxIntervalMs: whole(10, 99),
      },
      ...{ scanIntervalMs: whole(3_600_000, 604_800_000), whitelistDomains: list('a.example', 'b.example') },
      orgAllowlist: fc.array(text, { maxLength: 3 }),
    }),
    threat: fc.record({
      authKey: maybe(secret),
      feeds: fc.record(
        Object.fromEntries(feedNames.map((name) => [name, flag])) as Record<(typeof feedNames)[number], typeof flag>,
      ),
      ...{ dropLevel: pick('danger', 'warn'), allowList: list('1.1.1.1', '9.9.9.0/24', 'ok.example.org') },
      keys: fc.record({ rep_a: maybe(secret), rep_b: maybe(secret), rep_c: maybe(secret) }),
      ...{ cacheTtlMinutes: whole(5, 60), minIntervalSeconds: whole(1, 60) },
    }),
    blocked: list('203.0.114.7', 'bad.example.com', '8.8.0.0/16'),
    note: fc.option(text),
    allowPlaintext: flag,
    backup: fc.record({
      intervalHours: whole(1, 99),
      maxGenerations: whole(3, 99),
      maxBackupBytes: whole(0, 99),
      autoPrune: flag,
    }),
    ...{ ai, oidc },
    routers: fc.uniqueArray(router, { maxLength: 10, selector: ({ id }) => id }),
    mesh: fc.option(fc.record({ ip: privateIp, user: text, pass: password })),
  })
  .map(({ blocked, note, allowPlaintext, ...sections }) => ({
    ...emptySettings(),
    ...sections,
    blockList: {
      entries: blocked.map((value) => ({ value, note, by: 'terminal', addedAt: 1 })),
      given: { digest: '', changedAt: 0 },
    },
    agents: { pepper: '', allowPlaintext },
  }));
