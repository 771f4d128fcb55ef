// Calls as people make them: what the reference shows instead of values that are made from the schemas.
import type { z } from 'zod';
import { byToldKind } from '#contract/destinations.ts';
import type { Api } from '#contract/index.ts';
import type { Connection } from '#contract/model.ts';
import type { Example } from '#kernel/http/describe.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';

type Sent<S> = S extends z.ZodType ? z.input<S> : never;

/** Of a route: its parts, and the body of its first answer. */
type ExampleOf<R> =
  R extends RouteDefinition<unknown>
    ? {
        params?: Sent<R['params']>;
        query?: Sent<R['query']>;
        body?: Sent<R['body']>;
        reply?: { [S in keyof R['reply']]: Sent<R['reply'][S]> }[keyof R['reply']];
      }
    : never;

type Examples = { [G in keyof Api]?: { [R in keyof Api[G]]?: ExampleOf<Api[G][R]> } };

const at = 1_767_258_000_000;
const hour = 3_600_000;
const deviceId = '0b8f2f6a-3c52-4c6e-8f0e-6a1d2c3b4a59';
const otherDeviceId = '9d2c1b0a-7e6f-4a5b-8c9d-0e1f2a3b4c5d';
const identityId = 'c2a9f3d1-5b7e-4c8a-9e0d-1f2a3b4c5d6e';
const conversationId = '5f0c7b1a-9e2d-4f3b-8a6c-1d2e3f4a5b6c';
const backup = 'monitor-20260101-090000.db';
const connection: Connection = {
  src: '192.168.100.23',
  dst: '203.0.113.80',
  dport: 443,
  proto: 'TCP',
  sport: 50_211,
  ttl: 312,
  firstSeen: at - hour,
  lastSeen: at,
  observedBy: ['home'],
  source: 'vendor_a',
  srcMac: '02:00:5e:10:00:17',
  srcVendor: null,
  srcDnsName: 'printer.lan',
  srcMdnsName: null,
  srcDeviceId: deviceId,
  dstHost: 'cdn.example.net',
  country: 'DE',
  org: 'Example Cloud',
  lat: 50.1,
  lon: 8.7,
  city: 'Frankfurt am Main',
  agentHost: null,
  process: null,
  pid: null,
  bytesIn: null,
  bytesOut: null,
  threat: null,
  threatLevel: 'safe',
};
const judged = { judged: 'full', judgedWhy: null, coverage: { share: 1, message: null } } as const;

const destination = {
  id: conversationId,
  name: 'Phone',
  enabled: true,
  tells: byToldKind(true),
  tellResolved: true,
  fields: { ...byToldKind(null), newDevice: ['device' as const] },
  quietHours: { from: '22:30', to: '07:00', timeZone: 'Asia/Tokyo', days: [0, 1, 2, 3, 4, 5, 6] },
  dangerAnyway: true,
  muteUntil: null,
  settings: {
    kind: 'webhook' as const,
    preset: 'ntfy' as const,
    url: 'https://ntfy.sh/my-home',
    to: '',
    allowPrivate: false,
    secretSet: false,
  },
  delivery: {
    waiting: 0,
    lastSentAt: at,
    lastFailedAt: null,
    lastError: null,
    quietUntil: null,
    events: [
      {
        kind: 'newDevice' as const,
        state: 'raised' as const,
        title: 'New device',
        at,
        putAt: at,
        delivery: 'delivered' as const,
        attempts: 0,
        endedAt: at,
        error: null,
      },
    ],
  },
};

const typed = {
  front: { device: { params: { id: deviceId } } },
  auth: {
    login: {
      body: { password: 'correct horse battery staple', deviceLabel: 'Laptop of Ada' },
      reply: { success: true, token: 'a'.repeat(64), expiresAt: at + 720 * hour },
    },
    status: {
      reply: {
        authenticated: true,
        authMethod: 'api-identity',
        oidcEnabled: false,
        localLoginEnabled: true,
        name: 'Assistant',
        role: null,
        expiresAt: at + 720 * hour,
        permissions: ['network.read'],
      },
    },
    revokeSession: { params: { id: '7' } },
    revokeAllSessions: { body: { includeSelf: false } },
    oidcStart: { query: { returnTo: '/connections' } },
    createIdentity: {
      body: { label: 'Assistant', permissions: ['network.read'], expiresInMs: 720 * hour },
      reply: {
        token: `svc_${'0'.repeat(64)}`,
        identity: {
          id: identityId,
          label: 'Assistant',
          permissions: ['network.read'],
          permissionsValid: true,
          createdAt: at,
          expiresAt: at + 720 * hour,
          lastUsedAt: null,
          revokedAt: null,
        },
      },
    },
    revokeIdentity: { params: { id: identityId } },
    auditEvents: { query: { limit: '20' } },
  },
  agents: {
    enroll: {
      body: {
        code: 'K7Q2ZD',
        agent: { hostName: 'studio-mac', platform: 'macos', osVersion: '26.1', agentVersion: '0.1.0' },
      },
    },
  },
  routers: {
    nonce: { body: { routerIp: '192.168.100.2' } },
    create: {
      body: { kind: 'vendor_a', displayName: 'Home', ip: '192.168.100.1', user: 'monitor', pass: 'router-password' },
    },
    update: { params: { id: 'home' }, body: { displayName: 'Home', enabled: true } },
    remove: { params: { id: 'home' } },
    setUp: {
      body: { doVendorA: true, vendorAIp: '192.168.100.1', vendorAUser: 'monitor', vendorAPass: 'router-password' },
      reply: { success: true },
    },
  },
  connections: {
    list: {
      query: { limit: '50', fDport: ['443'], fThreat: ['warn', 'danger'] },
      reply: { connections: [connection], total: 1, limit: 50, offset: 0, next: null, serverTime: at },
    },
    summary: { query: { buckets: '24' } },
    threatConnections: { query: { confidence: 'high', limit: '20' } },
    values: {
      query: { column: 'country' },
      reply: { values: [{ value: 'DE', label: null, count: 66 }], total: 1, serverTime: at },
    },
    threatCounts: { reply: { safe: 1204, warn: 3, danger: 1, ...judged, serverTime: at } },
    export: { query: { format: 'csv', from: String(at - 24 * hour) } },
    detail: { params: { id: '192.168.100.23,203.0.113.80,443,TCP' } },
  },
  coverage: { coverage: { query: { buckets: '24' } } },
  detection: {
    log: { query: { type: 'threat', limit: '50' } },
    saveConfig: { body: { threat: { chat: true, history: true } } },
  },
  alerts: {
    mute: { params: { id: '7' }, body: { until: at + 24 * hour, note: 'The maker updates its television at night' } },
    expect: { params: { id: '7' }, body: { scope: 'network', note: 'The printer asks its maker' } },
    acknowledge: { params: { id: '7' }, body: { note: 'Asked Ada about it' } },
    resolve: { params: { id: '7' }, body: { note: 'The extension was removed' } },
    reopen: { params: { id: '7' }, body: {} },
    detail: { params: { id: '7' } },
    undo: { params: { id: '7' }, body: { eventId: 31 } },
    saveRule: { params: { id: '3' }, body: { reason: 'Until the new firmware is there' } },
    endRule: { params: { id: '3' } },
  },
  beacons: { dismiss: { params: { id: '7' } }, detail: { params: { id: '7' } } },
  blockList: {
    add: { body: { value: 'evil.example', note: 'Phishing' } },
    remove: { params: { id: '9c180de0cd699ee7' } },
  },
  privacy: {
    add: { body: { kind: 'range', value: '192.168.30.0/24', tellThreats: true } },
    remove: { params: { id: '1f0c9a52-3a8e-4b52-9f3e-6f1d7c2b9e10' } },
  },
  ai: {
    facts: { query: { from: String(at - 24 * hour), to: String(at) } },
    saveConfig: {
      body: { provider: 'local', models: { local: 'qwen3:8b' }, localEndpoint: 'http://192.168.100.9:11434' },
    },
    models: { body: { region: 'eu-central-1' } },
    preview: { body: { from: at - 24 * hour, to: at, language: 'en' } },
    analyze: { body: { from: at - 24 * hour, to: at, cloudConsentConfirmed: true } },
    guardrails: { body: { region: 'eu-central-1' } },
    saveNotificationConfig: {
      body: {
        frequency: 'weekly',
        weekday: 1,
        time: '09:00',
        timezone: 'Asia/Tokyo',
        rangeHours: 168,
        destinations: { ui: true, chat: false },
        threat: { enabled: false, dangerThreshold: 1, newDestinationsThreshold: 1, increaseThreshold: 3 },
        dailyLimit: 3,
        cooldownMinutes: 60,
        automationConsent: true,
      },
    },
    notificationEvents: { query: { limit: '50' } },
    notificationRunNow: { body: { cloudConsentConfirmed: true } },
    checkPricing: { body: { provider: 'cloud_a', model: 'claude-opus-5-5' } },
    monthlyUsage: { query: { timezoneOffset: '-540' } },
    pricingDiagnostics: { query: { timezoneOffset: '-540' } },
    chat: { body: { from: at - 24 * hour, message: 'What changed since yesterday?', conversationId } },
    conversation: { params: { id: conversationId } },
    deleteConversation: { params: { id: conversationId } },
  },
  chat: {
    saveConfig: { body: { enabled: true, token: 'token-of-the-workspace', userId: 'U012AB3CD', cooldownMinutes: 60 } },
    verify: { body: {} },
    lookupUser: { body: { username: 'ada' } },
  },
  destinations: {
    list: { reply: { destinations: [destination], serverTime: at } },
    create: {
      body: { name: 'Phone', settings: { kind: 'webhook', preset: 'ntfy', url: 'https://ntfy.sh/my-home' } },
      reply: { success: true, destination },
    },
    update: {
      params: { id: conversationId },
      body: { muteUntil: at + 8 * hour, quietHours: destination.quietHours },
      reply: { success: true, destination },
    },
    remove: { params: { id: conversationId } },
    test: { params: { id: conversationId }, body: {} },
  },
  config: {
    saveGeneral: { body: { homeCountry: 'JP', retentionDays: 90 } },
    saveDataSources: { body: { dns: { enabled: true, logFile: '/var/log/dnsmasq.log' } } },
    saveLookups: { body: { ptr: { enabled: true, resolver: '192.168.100.1' }, rdap: { enabled: false } } },
  },
  threat: {
    saveFeedsConfig: {
      body: { authKey: 'key-of-abuse-ch', feeds: { feed_c2: { enabled: true } }, dropLevel: 'danger' },
    },
    saveManualThreat: { body: { keys: { rep_a: 'key-of-the-service' }, cacheTtlMinutes: 60 } },
    lookUp: { body: { ip: '203.0.113.80', providers: ['rep_a'] } },
  },
  devices: {
    list: { query: { includeArchived: '1' } },
    mergeCandidates: { query: { status: 'pending' } },
    merge: { body: { keepId: deviceId, dropId: otherDeviceId } },
    reject: { body: { id: 12 } },
  },
  notes: {
    list: { reply: { notes: { [deviceId]: 'Printer in the hall' } } },
    write: { body: { deviceId, note: 'Printer in the hall' } },
    draft: {
      body: { ip: '192.168.100.23' },
      reply: { draft: 'A printer that asks for updates', raw: { vendor: 'Example Devices' }, generatedBy: 'local' },
    },
  },
  backup: {
    create: { reply: { success: true, name: backup } },
    download: { params: { name: backup } },
    restore: { body: { name: backup } },
    config: { body: { intervalHours: 24, maxGenerations: 7 } },
    prune: { body: { execute: false } },
  },
} as const satisfies Examples;

/** By group and name of the route; test/contract-examples.unit.test.ts holds each against its schemas. */
export const examples: Readonly<Record<string, Readonly<Record<string, Example>>>> = typed;
