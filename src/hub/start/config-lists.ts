// Two sections of the configuration as text: who is told of events, and whose destinations are not kept.
import { z } from 'zod';
import { destinationLimits } from '#contract/destination-limits.ts';
import { byToldKind, chosenFacts, destinationMembers, destinationSettings } from '#contract/destinations.ts';
import { mostPrivacyRules, privacyRoutes, toRuleValue } from '#contract/privacy.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { sha256 } from '#kernel/text/digest.ts';
import type { Settings } from '../base/settings/schema.ts';
import { TextMistake, toTextMistake } from '../base/settings/text-mistake.ts';
import { destinationDefaults, requireTimes } from '../notify/destinations/handlers.ts';
import { defineSection } from './config/section.ts';

const { muteUntil: _, ...members } = destinationMembers;
const [webhook, mqtt, email] = destinationSettings.options;

export const destinations = defineSection({
  name: 'destinations',
  about: 'Who is told of events: one that is not in the list is removed (POST /api/destinations).',
  body: z
    .array(
      z.strictObject({
        id: z.uuid().optional(),
        ...z.object(members).partial().shape,
        name: members.name,
        tells: z.strictObject(byToldKind(z.boolean().default(true))).optional(),
        fields: z.strictObject(byToldKind(chosenFacts.default(null))).optional(),
        settings: z.discriminatedUnion('kind', [webhook.strict(), mqtt.strict(), email.strict()]),
      }),
    )
    .max(destinationLimits.destinations),
  secrets: ['*.settings.url', '*.settings.secret', '*.settings.password'],
  bound: ['settings.kind', 'settings.host', 'settings.port', 'settings.preset'],
  findSame: (shown, given) =>
    (shown as Settings['destinations']).find(({ id }) => id === (given as { id?: string }).id),
  show: (all) => all.destinations.map(({ muteUntil: __, ...record }) => record),
  apply(all, given, { now }) {
    const made = new Map<string, Settings['destinations'][number]>();
    for (const [at, { id = deriveUuid(given[at]?.name ?? ''), ...record }] of given.entries()) {
      try {
        requireTimes(record, now);
      } catch (error) {
        throw toTextMistake(error, [at]);
      }
      if (made.has(id)) {
        throw new TextMistake(`${at}.name`, 'this destination is in the list twice: give each its own id or name');
      }
      if (record.settings.kind === 'webhook' && !/^https?:$/.test(URL.parse(record.settings.url)?.protocol ?? '')) {
        throw new TextMistake(`${at}.settings.url`, 'must be an http or https address');
      }
      const muteUntil = all.destinations.find((one) => one.id === id)?.muteUntil ?? null;
      const { name, settings, ...chosen } = record;
      made.set(id, { ...withChanges({ ...destinationDefaults, muteUntil }, chosen), id, name, settings });
    }
    return { ...all, destinations: [...made.values()] };
  },
});

const { kind, value, tellThreats } = privacyRoutes.add.body.shape;

export const privacy = defineSection({
  name: 'privacy',
  about: 'Whose destinations are not kept: a rule that is not in the list is removed (POST /api/privacy/rules).',
  body: z.strictObject({ rules: z.array(z.strictObject({ kind, value, tellThreats })).max(mostPrivacyRules) }),
  show: (all) => ({
    rules: all.privacy.rules.map((rule) => ({ kind: rule.kind, value: rule.value, tellThreats: rule.tellThreats })),
  }),
  apply(all, { rules: given }, { now }) {
    const rules = new Map<string, Settings['privacy']['rules'][number]>();
    for (const [at, rule] of given.entries()) {
      const canonical = toRuleValue(rule.kind, rule.value) ?? rule.value;
      const about = `${rule.kind} ${canonical}`.trim();
      if (rules.has(about)) {
        throw new TextMistake(`rules.${at}.value`, `${about} is in the list twice: remove it once`);
      }
      const old = all.privacy.rules.find((one) => one.kind === rule.kind && one.value === canonical);
      const made = old ?? { id: deriveUuid(about), since: now, by: 'terminal' };
      rules.set(about, { ...made, ...rule, value: canonical });
    }
    return { ...all, privacy: { rules: [...rules.values()] } };
  },
});

/** Returns an id that is the same on each hub for the same text. */
export function deriveUuid(text: string): string {
  return sha256(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
