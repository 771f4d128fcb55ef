// What the routes read of what is sent, and what they refuse: at each bound, one more and one less, and of the wrong kind.
import { describe, expect, test } from 'vitest';
import { requireSupportedSchema } from '#contract/agent-ingest.ts';
import { isCountry } from '#contract/countries.ts';
import { connectionsUpdate } from '#contract/events.ts';
import { api } from '#contract/index.ts';
import { limits } from '#contract/limits.ts';
import type { AppError } from '#kernel/errors.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';

const { auth, agents, ai, backup, beacons, chat, config, connections, coverage, detection, devices, routers } = api;

/** What is sent, and the members that are read from it; or the refusal, as a text. */
type Case = [sent: unknown, read: object | string];

const upperId = '0B8F2F6A-3C52-4C6E-8F0E-6A1D2C3B4A59';
const lowerId = upperId.toLowerCase();
const at = 1_767_258_000_000;
const time = '2026-01-01T09:00:00Z';

const observation = {
  ...{ observationId: upperId, networkProtocol: 'tcp', localAddress: '192.168.1.2', localPort: 0 },
  ...{ remoteAddress: '2001:DB8::1', remotePort: 65_535, processID: 0, processName: 'a'.repeat(256), bundleID: null },
  ...{ firstObservedAt: time, lastObservedAt: time, bytesIn: '0', bytesOut: null },
  ...{ collector: 'etw', confidence: 'exact' },
};
/** A batch whose one observation has these members. */
function batch(members: object): unknown {
  const agent = { hostName: 'h', platform: 'macos', osVersion: '1', agentVersion: '1' };
  return { schemaVersion: 1, batchId: upperId, sentAt: time, agent, observations: [{ ...observation, ...members }] };
}
const readBatch = (members: object) => ({
  batchId: lowerId,
  sentAt: at,
  observations: [expect.objectContaining(members)],
});
const place = (name: string) => `observations.0.${name}`;
const utc = 'must be a time in UTC such as 2026-01-31T12:30:00Z';
const controls = 'must not hold control characters';
const together = 'is missing: sourceKind and sourceId go together';
const mostCounted = 'must be at most 18446744073709551615';

const ingest: Case[] = [
  [batch({}), readBatch({ observationId: lowerId, remoteAddress: '2001:db8::1', firstObservedAt: at })],
  [batch({ processName: 'a\u0000' }), `${place('processName')} ${controls}`],
  [batch({ processName: '' }), `${place('processName')} must not be empty`],
  [batch({ firstObservedAt: '2026-01-01t09:00:00z' }), readBatch({ firstObservedAt: at })],
  [batch({ firstObservedAt: '2026-01-01T09:00:00+00:00' }), `${place('firstObservedAt')} ${utc}`],
  [batch({ firstObservedAt: '2026-02-30T09:00:00Z' }), `${place('firstObservedAt')} ${utc}`],
  [batch({ lastObservedAt: '2026-01-01T08:59:59Z' }), `${place('lastObservedAt')} must not be before firstObservedAt`],
  [batch({ lastObservedAt: '2026-01-01T09:00:01Z' }), readBatch({ lastObservedAt: at + 1000 })],
  [batch({ localAddress: '192.168.1' }), `${place('localAddress')} must be an IP address`],
  [batch({ bytesIn: '9' }), readBatch({ bytesIn: '9' })],
  [batch({ bytesIn: '18446744073709551615' }), readBatch({ bytesIn: '18446744073709551615' })],
  [batch({ bytesIn: '18446744073709551616' }), `${place('bytesIn')} ${mostCounted}`],
  [batch({ bytesIn: '99999999999999999999' }), `${place('bytesIn')} ${mostCounted}`],
];

function one(sent: unknown, expected: object | string): Case[] {
  return [[sent, expected]];
}

/** Numbers, which are sent as digits. */
function numbers(name: string, values: readonly number[]): Case[] {
  return values.map((value) => [{ [name]: String(value) }, { [name]: value }]);
}

function refused(name: string, values: readonly unknown[], why: string, whole = {}): Case[] {
  return values.map((sent) => [{ ...whole, [name]: sent }, `${name} ${why}`]);
}

/** A source is named by both of its members or by none. */
function scope(whole: object): Case[] {
  return [
    [whole, {}],
    [
      { ...whole, sourceKind: 'agent', sourceId: 'x' },
      { sourceKind: 'agent', sourceId: 'x' },
    ],
    [{ ...whole, sourceKind: 'agent' }, `sourceId ${together}`],
    [{ ...whole, sourceId: 'x' }, `sourceKind ${together}`],
  ];
}

/** What is counted in digits, from 1 to `most`. */
function page(name: string, most: number): Case[] {
  return [...numbers(name, [1, most]), ...refused(name, [String(most + 1)], `must be at most ${most}`)];
}

const noStart = 'from is required: the start in epoch milliseconds';
const filters: Case[] = [
  ...scope({}),
  ...one({ from: '', to: '12', limit: '7' }, { from: undefined, to: 12, limit: 7 }),
  ...one({ fSrc: 'a', fDst: ['', 'b', ''], fOrg: '' }, { fSrc: ['a'], fDst: ['b'], fOrg: undefined }),
  ...one({ fDport: ['1'.repeat(64), '2'] }, { fDport: ['1'.repeat(64), '2'] }),
  ...one({ fDport: ['1', '2'.repeat(65)] }, 'fDport must be at most 64 characters'),
  ...one({ fDport: Array(21).fill('1') }, 'fDport must have at most 20 values'),
  ...one({ fSrcMode: 'isNot', fDstMode: 'x' }, { fSrcMode: 'isNot', fDstMode: 'contains' }),
  ...one({ fThreat: ['danger', 'x', 'safe'], fUnknown: 'x' }, { fThreat: ['safe', 'danger'], fUnknown: undefined }),
  ...one({ fThreat: 'warn', fUnknown: ['place', 'country'] }, { fThreat: ['warn'], fUnknown: ['country', 'place'] }),
  ...one({ sort: 'dst', sortDir: 'asc' }, { sort: 'dst', sortDir: 'asc' }),
  ...one({ sort: 'x', sortDir: 'x' }, { sort: 'lastSeen', sortDir: 'desc' }),
];
const key = 'must be source, destination, port and protocol, as 192.168.1.2,203.0.113.80,443,TCP';
const keys: Case[] = [
  ...one(
    { id: '2001:DB8::1,192.0.2.1,65535,tcp' },
    { id: { src: '2001:db8::1', dst: '192.0.2.1', dport: 65_535, proto: 'TCP' } },
  ),
  ...refused('id', ['x,192.0.2.1,1,TCP', '10.0.0.2,x,1,TCP', '10.0.0.2', ''], key),
  ...refused(
    'id',
    ['65536,TCP', ',TCP', '1x,TCP', 'x1,TCP', '1,', '1,TCP,', '1'].map((end) => `10.0.0.2,192.0.2.1,${end}`),
    key,
  ),
];
const country = 'must be a country code of two capital letters (ISO 3166)';
const nat = 'must be a descriptor number, 1 to 2147483647';
const router = { kind: 'vendor_a', ip: '192.168.1.1', user: 'u', pass: 'p' };
const shortest = 'é'.repeat(limits.passwordMin - 1);
const tooShort = `must have at least ${limits.passwordMin} characters`;
const password = (newPassword: string) => ({ currentPassword: '', newPassword });
const identity = { permissions: ['ai.run'], expiresInMs: limits.identityLifetimeMinMs };
const question = { message: ' a ', from: 0 };
const oidc = { enabled: true, clientId: ' c ' };

const routes: [name: string, Pick<RouteDefinition<unknown>, 'params' | 'query' | 'body'>, Case[]][] = [
  ['agents.ingest', agents.ingest, ingest],
  ['agents.reconciliation', { query: agents.reconciliation.query }, page('limit', limits.reconciliationRows)],
  ['ai.facts', ai.facts, [...scope({ from: '5' }), [{}, noStart], [{ from: '' }, noStart]]],
  ['ai.analyze', ai.analyze, scope({ from: 5 })],
  ['ai.preview', ai.preview, [...scope({ from: 5 }), ...one(question, { message: 'a' })]],
  ['ai.chat', ai.chat, scope({ from: 5, message: 'a' })],
  ['ai.chat', ai.chat, one({ ...question, requestId: upperId }, { message: 'a', requestId: lowerId })],
  ['ai.chat', ai.chat, one({ ...question, message: ' ' }, 'message is empty: write a question')],
  ['ai.conversation', ai.conversation, one({ id: upperId }, { id: lowerId })],
  ['ai.saveConfig', ai.saveConfig, one({ models: { local: ' m ' } }, { models: { local: 'm' } })],
  ['ai.saveConfig', ai.saveConfig, one({ models: { cloud_c: ' a.b ' } }, { models: { cloud_c: 'a.b' } })],
  ['ai.saveConfig', ai.saveConfig, refused('localEndpoint', ['x'.repeat(2049)], 'must be at most 2048 characters')],
  ['ai.saveConfig', ai.saveConfig, one({ localEndpoint: ' x ' }, { localEndpoint: 'x' })],
  [
    'ai.saveConfig',
    ai.saveConfig,
    one({ guardrail: { id: ' i ', version: ' 1 ' } }, { guardrail: { id: 'i', version: '1' } }),
  ],
  ['ai.notificationEvents', ai.notificationEvents, page('limit', limits.aiEvents)],
  ['ai.monthlyUsage', ai.monthlyUsage, numbers('timezoneOffset', [-840, 0, 840])],
  [
    'ai.monthlyUsage',
    ai.monthlyUsage,
    refused('timezoneOffset', ['-841', '841', 'x'], 'must be minutes from -840 to 840'),
  ],
  ['auth.auditEvents', auth.auditEvents, [...page('limit', limits.auditPage), ...numbers('before', [5])]],
  ['auth.revokeSession', { params: auth.revokeSession.params }, numbers('id', [7])],
  ['auth.changePassword', auth.changePassword, one(password(`${shortest}😀`), password(`${shortest}😀`))],
  ['auth.changePassword', auth.changePassword, refused('newPassword', [shortest], tooShort, password(''))],
  [
    'auth.changePassword',
    auth.changePassword,
    refused('newPassword', [' '.repeat(14)], 'must not be blank', password('')),
  ],
  ['auth.createIdentity', auth.createIdentity, one({ ...identity, label: ' a ' }, { label: 'a' })],
  ['auth.createIdentity', auth.createIdentity, refused('label', ['a\u007fb'], controls, identity)],
  ['auth.saveSecurityConfig', auth.saveSecurityConfig, one({ ...oidc, issuer: ' i ' }, { clientId: 'c', issuer: 'i' })],
  [
    'auth.saveSecurityConfig',
    auth.saveSecurityConfig,
    one({ ...oidc, allowedEmails: [' A@B.c '] }, { allowedEmails: ['a@b.c'] }),
  ],
  [
    'auth.saveSecurityConfig',
    auth.saveSecurityConfig,
    one({ ...oidc, allowedDomains: [' A.B '] }, { allowedDomains: ['a.b'] }),
  ],
  [
    'backup.config',
    backup.config,
    one({ intervalHours: 1, maxBackupBytes: '0' }, { intervalHours: 1, maxBackupBytes: 0 }),
  ],
  ['backup.config', backup.config, refused('intervalHours', [0, 1.5], 'must be a whole number of at least 1')],
  ['backup.config', backup.config, numbers('maxBackupBytes', [Number.MAX_SAFE_INTEGER])],
  [
    'backup.config',
    backup.config,
    refused('maxBackupBytes', ['9007199254740992'], 'must be a whole number of at least 0'),
  ],
  ['beacons.saveConfig', beacons.saveConfig, one({ whitelistDomains: [' *.A.b '] }, { whitelistDomains: ['a.b'] })],
  [
    'beacons.saveConfig',
    beacons.saveConfig,
    one({ whitelistDomains: ['a*.b'] }, 'whitelistDomains.0 must be a domain name'),
  ],
  ['beacons.saveConfig', beacons.saveConfig, one({ orgAllowlist: [' O '] }, { orgAllowlist: ['O'] })],
  ['beacons.detail', beacons.detail, numbers('id', [7])],
  ['chat.lookupUser', chat.lookupUser, one({ username: ' a ' }, { username: 'a' })],
  ['config.saveGeneral', config.saveGeneral, ['AD', 'ZW'].map((homeCountry) => [{ homeCountry }, { homeCountry }])],
  ['config.saveGeneral', config.saveGeneral, refused('homeCountry', ['jp', '', 'XX', 'AD AE'], country)],
  ['config.saveGeneral', config.saveGeneral, numbers('retentionDays', [7, 730])],
  [
    'config.saveGeneral',
    config.saveGeneral,
    refused('retentionDays', [8, '6'], 'must be one of 7, 30, 90, 180, 365, 730'),
  ],
  ['config.saveGeneral', config.saveGeneral, numbers('retentionBytes', [0, 10_000_000, Number.MAX_SAFE_INTEGER])],
  [
    'config.saveGeneral',
    config.saveGeneral,
    refused('retentionBytes', [1, '9999999'], 'must be 0 for no limit, or at least 10000000'),
  ],
  ['connections.list', connections.list, filters],
  [
    'connections.summary',
    connections.summary,
    [...scope({}), ...one({ src: '', target: 'a' }, { src: undefined, target: 'a' })],
  ],
  ['connections.summary', connections.summary, refused('src', ['a'.repeat(65)], 'must be at most 64 characters')],
  ['connections.threatConnections', connections.threatConnections, scope({})],
  ['connections.threatConnections', connections.threatConnections, one({ confidence: 'low' }, { confidence: 'low' })],
  ['connections.threatConnections', connections.threatConnections, one({ confidence: 'x' }, { confidence: 'all' })],
  ['connections.threatCounts', connections.threatCounts, scope({})],
  ['connections.values', connections.values, scope({ column: 'org' })],
  ['connections.export', connections.export, [...scope({ from: '5', format: 'csv' }), [{ format: 'csv' }, noStart]]],
  ['connections.export', connections.export, one({ from: '5', format: 'JSON' }, { from: 5, format: 'json' })],
  ['connections.detail', connections.detail, keys],
  ['coverage.coverage', coverage.coverage, numbers('buckets', [7])],
  ['detection.log', detection.log, [...scope({}), ...page('limit', limits.detectionPage)]],
  ['devices.list', devices.list, scope({})],
  ['devices.reject', devices.reject, [...numbers('id', [1]), ...refused('id', [0], 'must be more than 0')]],
  ['routers.create', routers.create, one({ ...router, nat: '1' }, { nat: '1' })],
  ['routers.create', routers.create, one({ ...router, nat: 2_147_483_647 }, { nat: '2147483647' })],
  ['routers.create', routers.create, refused('nat', ['0', 2_147_483_648], nat, router)],
  ['routers.create', routers.create, one({ ...router, displayName: 'Küche' }, { displayName: 'Küche' })],
  ['routers.create', routers.create, refused('displayName', ['a\nb'], controls, router)],
];

describe.each(routes)('%s', (_, { params, query, body }, cases) => {
  test.each(cases)('%j is read as %j', (sent, expected) => {
    const read = () => parsePart('invalid_body', body ?? query ?? params, sent);
    if (typeof expected === 'string') {
      expect(read).toThrow(expect.objectContaining({ code: 'invalid_body', message: expected }));
    } else {
      expect(read()).toMatchObject(expected);
    }
  });
});

test('a batch of another form is refused before it is read, and the answer says what was asked for', () => {
  const refusal = (body: unknown) => {
    try {
      return requireSupportedSchema(body);
    } catch (error) {
      return (error as AppError).details;
    }
  };
  expect(refusal({ schemaVersion: 1 })).toBe(undefined);
  for (const [body, requested] of [
    ...[null, 'schemaVersion', [], {}, { schemaVersion: '1' }, { schemaVersion: 1.5 }].map((one) => [one, null]),
    [{ schemaVersion: 2 }, 2],
  ]) {
    expect(refusal(body)).toEqual({ requested, supported: [1], hint: expect.stringContaining('capabilities') });
  }
});

test('what is left out in a list of countries is none', () => {
  expect(['', 'AD', 'ZW', 'ZZ', ' '].filter(isCountry)).toEqual(['AD', 'ZW']);
});

test('a stream is what can be iterated over as it arrives, and its updates are parts', () => {
  const { 200: reply } = api.events.stream.reply;
  const stream = (async function* () {})();
  expect([stream, {}, [], null, undefined].map((value) => reply.safeParse(value).success)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  const update = { connections: [], serverTime: 1, truncated: false };
  expect([true, false].map((partial) => connectionsUpdate.safeParse({ ...update, partial }).success)).toEqual([
    true,
    false,
  ]);
});
