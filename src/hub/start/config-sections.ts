// The sections of the configuration as text, in their order: each by the body and the rules of the route that saves it.
import { z } from 'zod';
import { agentRoutes } from '#contract/agents.ts';
import { aiConfigRoutes } from '#contract/ai-config.ts';
import { aiNotificationRoutes } from '#contract/ai-notifications.ts';
import { authRoutes } from '#contract/auth.ts';
import { backupRoutes } from '#contract/backup.ts';
import { beaconRoutes } from '#contract/beacons.ts';
import { blockListRoutes } from '#contract/block-list.ts';
import { chatRoutes } from '#contract/chat.ts';
import { configRoutes } from '#contract/config.ts';
import { detectionRoutes } from '#contract/detection.ts';
import { limits } from '#contract/limits.ts';
import { feedNames, threatRoutes } from '#contract/threat.ts';
import { type Changes, withChanges } from '#kernel/text/changes.ts';
import { applyAiChange } from '../analyse/ai/config/change.ts';
import { applyConfigChange, toNotificationConfig } from '../analyse/ai/notifications/config.ts';
import { changeBeaconConfig } from '../analyse/beacons/handlers.ts';
import { changeOidc } from '../base/auth/oidc/config-handlers.ts';
import type { Settings } from '../base/settings/schema.ts';
import { TextMistake, toTextMistake } from '../base/settings/text-mistake.ts';
import { changedSources } from '../collect/data-sources/handlers.ts';
import { checkMeshAddress } from '../collect/routers/legacy.ts';
import { findSameRouter, replaceRouters, routerList } from '../collect/routers/router-list.ts';
import { changeLookUps } from '../identify/enrichment/remote/handlers.ts';
import { requireBlockable } from '../identify/threat/block-list/handlers.ts';
import { changeFeeds } from '../identify/threat/handlers.ts';
import { defineSection, type Section } from './config/section.ts';
import { destinations, privacy } from './config-lists.ts';

type Plain = 'general' | 'chat' | 'backup';

/** A section whose members are those of the settings, and go with each other in any way. */
function definePlainSection<N extends Plain>(
  name: N,
  about: string,
  body: z.ZodType<Changes<Settings[N]>>,
  secrets: readonly string[] = [],
): Section {
  const apply = (all: Settings, changes: Changes<Settings[N]>) => ({ ...all, [name]: withChanges(all[name], changes) });
  return defineSection({ name, about, body, secrets, show: (all) => all[name], apply });
}

const general = definePlainSection(
  'general',
  'Country, language, and how long the log is stored (POST /api/config/general).',
  configRoutes.saveGeneral.body.strict(),
);
const chat = definePlainSection(
  'chat',
  'The chat workspace that is told of alerts (POST /api/config/chat).',
  chatRoutes.saveConfig.body.omit({ clearToken: true }),
  ['token'],
);
const backup = definePlainSection(
  'backup',
  'When backups are made and how many are stored (POST /api/backup/config).',
  backupRoutes.config.body,
);

const dataSources = defineSection({
  name: 'dataSources',
  about: 'Logs that are followed (POST /api/config/datasources).',
  body: configRoutes.saveDataSources.body.strict(),
  show: (all) => all.dataSources,
  apply: async (all, body, { pathPrefixes }) => ({
    ...all,
    dataSources: await changedSources(all.dataSources, body, pathPrefixes),
  }),
});

const enrichment = defineSection({
  name: 'enrichment',
  about: 'Look-ups that leave the network (POST /api/config/enrichment).',
  body: configRoutes.saveLookups.body.strict(),
  secrets: ['geo.token'],
  bound: ['geo.url'],
  show: (all) => all.enrichment,
  apply(all, body, { allowLoopback }) {
    const next = changeLookUps(all.enrichment, body, allowLoopback);
    const geo = { ...next.geo, token: body.geo?.token ?? next.geo.token };
    return { ...all, enrichment: { ...next, geo } };
  },
});

const detection = defineSection({
  name: 'detection',
  about: 'Which detections go to the chat workspace and into the log (POST /api/config/detection-notifications).',
  body: detectionRoutes.saveConfig.body,
  show: (all) => all.detection,
  apply: (all, body) => ({
    ...all,
    detection: {
      threat: withChanges(all.detection.threat, body.threat ?? {}),
      newDevice: withChanges(all.detection.newDevice, body.newDevice ?? {}),
      beacon: withChanges(all.detection.beacon, body.beacon ?? {}),
      retroMatch: withChanges(all.detection.retroMatch, body.retroMatch ?? {}),
    },
  }),
});

const beacons = defineSection({
  name: 'beacons',
  about: 'The search for contacts at regular intervals (POST /api/beacons/config).',
  body: beaconRoutes.saveConfig.body,
  show: (all) => all.beacons,
  apply: (all, body) => ({ ...all, beacons: changeBeaconConfig(all.beacons, body) }),
});

const threatFeeds = defineSection({
  name: 'threatFeeds',
  about: 'Threat feeds and what is never a threat (POST /api/config/threat-feeds).',
  body: threatRoutes.saveFeedsConfig.body.omit({ clearAuthKey: true }),
  secrets: ['authKey'],
  show({ threat: { authKey, feeds, dropLevel, allowList } }) {
    const switches = Object.fromEntries(feedNames.map((name) => [name, { enabled: feeds[name] }]));
    return { authKey, feeds: switches, dropLevel, allowList };
  },
  apply: (all, { authKey = all.threat.authKey, ...changes }) => ({
    ...all,
    threat: { ...changeFeeds(all.threat, changes), authKey },
  }),
});

const manualThreat = defineSection({
  name: 'manualThreat',
  about: 'The manual look-up at reputation services (POST /api/config/manual-threat).',
  body: threatRoutes.saveManualThreat.body.omit({ clearKeys: true }),
  secrets: ['keys.rep_a', 'keys.rep_b', 'keys.rep_c'],
  show({ threat: { keys, cacheTtlMinutes, minIntervalSeconds } }) {
    return { keys, cacheTtlMinutes, minIntervalSeconds };
  },
  apply: (all, { keys = {}, ...changes }) => ({
    ...all,
    threat: { ...withChanges(all.threat, changes), keys: withChanges(all.threat.keys, keys) },
  }),
});

const { value, note } = blockListRoutes.add.body.shape;
const blockList = defineSection({
  name: 'blockList',
  about: 'What people put on the block list (POST /api/blocklist/entries).',
  body: z.strictObject({
    entries: z.array(z.strictObject({ value, note: z.union([z.null(), note]) })).max(limits.blockList),
  }),
  show: (all) => ({ entries: all.blockList.entries.map((entry) => ({ value: entry.value, note: entry.note })) }),
  apply(all, { entries: given }, { now }) {
    const entries = new Map<string, Settings['blockList']['entries'][number]>();
    for (const [at, entry] of given.entries()) {
      const blocked = atPart(['entries', at], () => requireBlockable(entry.value).value);
      if (entries.has(blocked)) {
        throw new TextMistake(`entries.${at}.value`, `${blocked} is in the list twice: remove it once`);
      }
      const old = all.blockList.entries.find((one) => one.value === blocked) ?? { by: 'terminal', addedAt: now };
      entries.set(blocked, { ...old, value: blocked, note: entry.note ?? null });
    }
    return { ...all, blockList: { ...all.blockList, entries: [...entries.values()] } };
  },
});

/** Calls `check`, whose refusal is about the part at `place`. */
function atPart<T>(place: readonly (string | number)[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw toTextMistake(error, place);
  }
}

const agents = defineSection({
  name: 'agents',
  about: 'Whether Agents may send over plain HTTP beyond this machine (POST /api/agents/transport).',
  body: agentRoutes.saveTransport.body.strict(),
  show: ({ agents: { allowPlaintext } }) => ({ allowPlaintext }),
  apply: (all, { allowPlaintext }) => ({ ...all, agents: { ...all.agents, allowPlaintext } }),
});

const ai = defineSection({
  name: 'ai',
  about: 'The AI provider, and to whom data may be sent (POST /api/config/ai).',
  body: aiConfigRoutes.saveConfig.body.omit({ clearKeys: true }),
  secrets: ['keys.cloud_a', 'keys.cloud_b'],
  show({ ai: { provider, models, keys, consents: cloudConsent, localEndpoint, region, guardrail } }) {
    return { provider, models, keys, cloudConsent, localEndpoint, region, guardrail };
  },
  apply(all, body) {
    // The hub itself asks nobody in offline mode, whatever is chosen.
    const next = applyAiChange(all.ai, body, false);
    return { ...all, ai: { ...next, keys: withChanges(all.ai.keys, body.keys ?? {}) } };
  },
});

const notificationBody = aiNotificationRoutes.saveNotificationConfig.body;
const aiNotifications = defineSection({
  name: 'aiNotifications',
  about: 'When the hub makes analyses by itself (POST /api/ai/notification-config).',
  body: notificationBody
    .omit({ threat: true })
    .partial()
    .extend({ threat: notificationBody.shape.threat.omit({ enabled: true }).partial().optional() }),
  show(all) {
    const { threat, ...shown } = toNotificationConfig(all.ai);
    const { enabled: _, ...thresholds } = threat;
    return { ...shown, threat: thresholds };
  },
  apply(all, body, { now }) {
    const saved = toNotificationConfig(all.ai);
    const sent = { ...withChanges(saved, { ...body, threat: withChanges(saved.threat, body.threat ?? {}) }) };
    // Without consent the hub makes none, and its status says so: the settings of other sections may still follow.
    const provider = sent.automationConsent ? all.ai.provider : 'disabled';
    const notifications = applyConfigChange({ ...all.ai, provider }, sent, { isChatReady: true, now });
    return { ...all, ai: { ...all.ai, notifications } };
  },
});

/** The hub says at its start that it needs MONITOR_PUBLIC_URL: where the text is applied it may be unknown. */
const anyPublicUrl = new URL('http://localhost');
const oidc = defineSection({
  name: 'oidc',
  about: 'Login through an organisation (POST /api/auth/security-config).',
  body: authRoutes.saveSecurityConfig.body.partial().strict(),
  secrets: ['clientSecret'],
  bound: ['issuer'],
  show: (all) => all.oidc,
  apply(all, { enabled = all.oidc.enabled, clientId = all.oidc.clientId, ...body }) {
    const old = { ...all.oidc, clientSecret: body.clientSecret ?? all.oidc.clientSecret };
    return { ...all, oidc: changeOidc(old, { ...body, enabled, clientId }, anyPublicUrl) };
  },
});

const routers = defineSection({
  name: 'routers',
  about: 'All routers: one that is not in the list is removed (POST /api/routers).',
  body: routerList,
  secrets: ['*.pass', '*.enablePass'],
  bound: ['ip', 'port'],
  noSecret: null,
  findSame: (shown, given) => findSameRouter(shown as Settings['routers'], given as object),
  show: (all) =>
    all.routers.map(({ id, kind, displayName, ip, port, user, pass, enablePass, nat, ...record }) => ({
      ...{ id, kind, displayName, ip, port, user, pass },
      ...(kind === 'vendor_a' ? { nat } : { enablePass }),
      ...{ enabled: record.enabled, legacyAlgorithms: record.legacyAlgorithms },
      ...(record.hostFp === null ? {} : { hostFp: record.hostFp }),
    })),
  apply: replaceRouters,
});

const mesh = defineSection({
  name: 'mesh',
  about: 'The mesh access point, or null (POST /api/login).',
  body: z
    .strictObject({ ip: z.string().max(45), user: z.string().min(1).max(64), pass: z.string().min(1).max(256) })
    .nullable(),
  secrets: ['pass'],
  bound: ['ip'],
  noSecret: null,
  show: (all) => all.mesh,
  apply(all, body, { allowLoopback }) {
    if (body !== null) {
      atPart(['ip'], () => checkMeshAddress(body.ip, allowLoopback));
    }
    return { ...all, mesh: body };
  },
});

export const configSections: readonly Section[] = [
  ...[
    general,
    privacy,
    dataSources,
    enrichment,
    chat,
    destinations,
    detection,
    beacons,
    threatFeeds,
    manualThreat,
    blockList,
  ],
  ...[agents, ai, aiNotifications, backup, oidc, routers, mesh],
];
