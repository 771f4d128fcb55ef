// The form of the settings document, section by section. A later version reads what an earlier one wrote. Bounds and
// defaults are in docs/reference/wire-contract/4-endpoints.md#4-endpoints, those of backups in
// docs/reference/wire-contract/3-records.md#39-backup-records.
import { z } from 'zod';
import { aiChoices, aiProviderNames } from '#contract/ai-records.ts';
import { retentionSize } from '#contract/config.ts';
import { byToldKind, chosenFacts, destinationMembers, destinationSettings } from '#contract/destinations.ts';
import { limits } from '#contract/limits.ts';
import { privacyRule } from '#contract/privacy.ts';
import { routerKind } from '#contract/routers.ts';

const routerRecord = z.object({
  id: z.string(),
  kind: routerKind,
  displayName: z.string(),
  hostName: z.string(),
  ip: z.string(),
  port: z.int(),
  user: z.string(),
  pass: z.string(),
  enablePass: z.string().nullable(),
  nat: z.string(),
  enabled: z.boolean(),
  legacyAlgorithms: z.boolean(),
  /** SHA-256 of the pinned host key, hex; null until first use. */
  hostFp: z.string().nullable(),
});

const tombstone = z.object({
  id: z.string(),
  kind: routerKind,
  displayName: z.string(),
  deletedAt: z.int(),
});

const oidcSettings = z.object({
  enabled: z.boolean(),
  issuer: z.string(),
  clientId: z.string(),
  /** Sealed; empty when there is none. */
  clientSecret: z.string(),
  allowedEmails: z.array(z.string()),
  allowedDomains: z.array(z.string()),
});

const generalSettings = z.object({
  /** ISO 3166-1 alpha-2. */
  homeCountry: z.string().default('JP'),
  language: z.enum(['ja', 'en']).default('ja'),
  autoInvestigate: z.boolean().default(false),
  retentionDays: z.int().min(1).default(limits.retentionDays),
  /** Bytes that the database may occupy; 0 for no limit. */
  retentionBytes: retentionSize.default(0),
});

const dataSource = z.object({ enabled: z.boolean().default(false), logFile: z.string().default('') }).prefault({});

/** Logs that are followed. */
const dataSourceSettings = z.object({ dns: dataSource, inspect: dataSource, dhcp: dataSource });

/** Look-ups that leave the hub, all off unless switched on (decision 010). */
const enrichmentSettings = z.object({
  /** `resolver` is `address` or `address:port`; empty: MONITOR_INTERNAL_DNS. */
  ptr: z.object({ enabled: z.boolean().default(false), resolver: z.string().default('') }).prefault({}),
  rdap: z
    .object({ enabled: z.boolean().default(false), bootstrapUrl: z.string().default('https://data.iana.org/rdap/') })
    .prefault({}),
  geo: z
    .object({
      enabled: z.boolean().default(false),
      url: z.string().default(''),
      /** Sealed; empty when there is none. */
      token: z.string().default(''),
    })
    .prefault({}),
});

const chatSettings = z.object({
  enabled: z.boolean().default(false),
  /** Sealed; empty when there is none. */
  token: z.string().default(''),
  userId: z.string().default(''),
  displayName: z.string().default(''),
  cooldownMinutes: z.number().default(limits.chatCooldownMinutesDefault),
  tellResolved: z.boolean().default(false),
});

/** One that is told of events. A kind that a later version adds is told, with all its facts. */
const destination = z.object({
  ...destinationMembers,
  id: z.string(),
  tells: z.object(byToldKind(z.boolean().default(true))),
  fields: z.object(byToldKind(chosenFacts.default(null))),
  settings: destinationSettings,
});

const someChannels = z.object({ chat: z.boolean().default(true), history: z.boolean().default(true) });
const channels = someChannels.prefault({});

/** Before retro-matches were told apart, they were threats: what is not set follows the switches of threats. */
const detectionSettings = z
  .object({ threat: channels, newDevice: channels, beacon: channels, retroMatch: someChannels.optional() })
  .transform(({ retroMatch, ...others }) => ({ ...others, retroMatch: retroMatch ?? others.threat }));

/** Regular contacts with what most homes talk to all day are benign. */
const beaconSettings = z.object({
  enabled: z.boolean().default(true),
  minObs: z.int().default(8),
  maxCov: z.number().default(0.5),
  minIntervalMs: z.int().default(20_000),
  maxIntervalMs: z.int().default(14_400_000),
  scanIntervalMs: z.int().default(limits.beaconScanMs),
  whitelistDomains: z
    .array(z.string())
    .default([
      'apple.com',
      'icloud.com',
      'microsoft.com',
      'windows.com',
      'windowsupdate.com',
      'msftconnecttest.com',
      'google.com',
      'googleapis.com',
      'gstatic.com',
      'mozilla.com',
      'mozilla.org',
      'firefox.com',
      'debian.org',
      'ubuntu.com',
    ]),
  orgAllowlist: z
    .array(z.string())
    .default(['Akamai', 'Amazon', 'Apple', 'Cloudflare', 'Fastly', 'Google', 'Microsoft']),
});

const feedSwitch = z.boolean().default(true);
const secret = z.string().default('');

/** Threat feeds and the manual look-up. Keys are sealed; empty when there is none. */
const threatSettings = z.object({
  authKey: secret,
  feeds: z
    .object({ feed_c2: feedSwitch, feed_ioc: feedSwitch, feed_url: feedSwitch, feed_drop: feedSwitch })
    .prefault({}),
  dropLevel: z.enum(['danger', 'warn']).default('danger'),
  allowList: z.array(z.string()).default([]),
  keys: z.object({ rep_a: secret, rep_b: secret, rep_c: secret }).prefault({}),
  cacheTtlMinutes: z.int().default(limits.lookUpCacheMinutes),
  minIntervalSeconds: z.int().default(limits.lookUpIntervalSeconds),
});

/** What people added to the block list, and which list was given out last. */
const blockListSettings = z.object({
  entries: z
    .array(z.object({ value: z.string(), note: z.string().nullable(), by: z.string(), addedAt: z.int() }))
    .default([]),
  /** What was given out last, as a digest, and since when it is so. */
  given: z.object({ digest: z.string().default(''), changedAt: z.int().default(0) }).prefault({}),
});

const agentSettings = z.object({
  /** Key of the hashes of bearers, codes and claim secrets, sealed; empty before the first start has ended. */
  pepper: secret,
  /** Agents may send over plain HTTP beyond loopback: the operator accepts what that exposes. */
  allowPlaintext: z.boolean().default(false),
});

const aiModel = z.string().default('');

/** Keys are sealed; empty when there is none. */
const aiSettings = z.object({
  provider: z.enum(aiChoices).default('disabled'),
  models: z.object({ local: aiModel, cloud_a: aiModel, cloud_b: aiModel, cloud_c: aiModel }).prefault({}),
  keys: z.object({ cloud_a: secret, cloud_b: secret }).prefault({}),
  /** It was agreed that data is sent to this service. */
  consents: z
    .object({
      cloud_a: z.boolean().default(false),
      cloud_b: z.boolean().default(false),
      cloud_c: z.boolean().default(false),
    })
    .prefault({}),
  localEndpoint: z.string().default('http://127.0.0.1:11434'),
  region: z.string().default(''),
  guardrail: z
    .object({ enabled: z.boolean().default(false), id: z.string().default(''), version: z.string().default('') })
    .prefault({}),
  notifications: z
    .object({
      frequency: z.enum(['off', 'daily', 'weekly']).default('off'),
      /** 0 is Sunday. */
      weekday: z.int().default(1),
      time: z.string().default('09:00'),
      timezone: z.string().default('UTC'),
      rangeHours: z.int().default(limits.aiRangeHoursDefault),
      destinations: z.object({ ui: z.boolean().default(true), chat: z.boolean().default(false) }).prefault({}),
      rules: z
        .object({
          scheduled: z.boolean().default(false),
          danger: z.boolean().default(false),
          newDestination: z.boolean().default(false),
          increase: z.boolean().default(false),
        })
        .prefault({}),
      dangerThreshold: z.int().default(1),
      newDestinationsThreshold: z.int().default(1),
      increaseThreshold: z.int().default(3),
      dailyLimit: z.int().default(limits.aiDailyLimitDefault),
      cooldownMinutes: z.int().default(limits.aiCooldownMinutesDefault),
      /** When the schedule was set, epoch milliseconds: what was due before was not missed. */
      scheduleSetAt: z.int().default(0),
      /** The provider that may be asked without a question each time; null: none. */
      automationConsent: z.enum(aiProviderNames).nullable().default(null),
    })
    .prefault({}),
});

const backupSettings = z.object({
  intervalHours: z.int().min(1).default(limits.backupIntervalHours),
  maxGenerations: z.int().min(limits.backupGenerationsMin).default(limits.backupGenerations),
  maxBackupBytes: z.int().min(0).default(0),
  autoPrune: z.boolean().default(false),
});

/**
 * A new section gets a default for every field and `.prefault({})`: documents written before it stay valid, and no
 * version step is needed.
 */
export const settingsSchema = z.object({
  version: z.literal(2),
  /** SHA-256 of the admin token, hex; null before the first start has ended. */
  adminTokenHash: z.string().nullable(),
  /** The admin token was used while its file of the first start was there. */
  isFirstTokenUsed: z.boolean().default(false),
  /** Hash of the login password with its parameters; null before the first start has ended. */
  passwordRecord: z.string().nullable(),
  /** The login password is the one of the first start. */
  isPasswordInitial: z.boolean().default(false),
  /** Key of the audit trail's pseudonyms, sealed; null before the first start has ended. */
  auditKey: z.string().nullable(),
  oidc: oidcSettings,
  general: generalSettings.prefault({}),
  dataSources: dataSourceSettings.prefault({}),
  enrichment: enrichmentSettings.prefault({}),
  chat: chatSettings.prefault({}),
  destinations: z.array(destination).default([]),
  detection: detectionSettings.prefault({}),
  beacons: beaconSettings.prefault({}),
  threat: threatSettings.prefault({}),
  blockList: blockListSettings.prefault({}),
  agents: agentSettings.prefault({}),
  backup: backupSettings.prefault({}),
  /** Strict: the hub does not start with a rule that it does not understand. */
  privacy: z.strictObject({ rules: z.array(privacyRule).default([]) }).prefault({}),
  ai: aiSettings.prefault({}),
  routers: z.array(routerRecord),
  tombstones: z.array(tombstone),
  mesh: z.object({ ip: z.string(), user: z.string(), pass: z.string() }).nullable(),
  /** A configuration that was applied while the hub was stopped, until the next start has recorded it. */
  applied: z
    .object({ at: z.int(), sections: z.array(z.string()), endsOidcSessions: z.boolean() })
    .nullable()
    .default(null),
});

export type RouterRecord = z.output<typeof routerRecord>;
export type DestinationRecord = z.output<typeof destination>;
export type Settings = z.output<typeof settingsSchema>;

/** What version 2 added to version 1. */
const addedByVersion2 = {
  passwordRecord: null,
  auditKey: null,
  oidc: { enabled: false, issuer: '', clientId: '', clientSecret: '', allowedEmails: [], allowedDomains: [] },
};

export function emptySettings(): Settings {
  return settingsSchema.parse({
    version: 2,
    adminTokenHash: null,
    ...addedByVersion2,
    routers: [],
    tombstones: [],
    mesh: null,
  });
}

/** Brings what an earlier version wrote to this one; the file itself is rewritten at the next save. */
export function upgradeSettings(stored: unknown): unknown {
  const isVersion1 = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return isVersion1 ? { ...stored, ...addedByVersion2, version: 2 } : stored;
}
