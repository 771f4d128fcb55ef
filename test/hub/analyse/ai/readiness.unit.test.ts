// What is in the way of automatic analyses, each with a sentence that says what to do.
import { expect, test } from 'vitest';
import type { AiSettings } from '#hub/analyse/ai/choice.ts';
import { findHindrance } from '#hub/analyse/ai/notifications/readiness.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';

const { ai } = emptySettings();
const scheduled = { ...ai.notifications, rules: { ...ai.notifications.rules, scheduled: true } };
const local: AiSettings = { ...ai, provider: 'local', models: { ...ai.models, local: 'm' }, notifications: scheduled };
const cloud: AiSettings = {
  ...{ ...local, provider: 'cloud_a', models: { ...ai.models, cloud_a: 'm' }, keys: { cloud_a: 'k', cloud_b: '' } },
  ...{ consents: { ...ai.consents, cloud_a: true }, notifications: { ...scheduled, automationConsent: 'cloud_a' } },
};
const chatOnly: AiSettings = { ...local, notifications: { ...scheduled, destinations: { ui: false, chat: true } } };
const ready = { offline: false, isChatReady: false };

test.each([
  ['nothing, of a local server', local, ready, null],
  ['nothing, of a local server by its private address in offline mode', local, { ...ready, offline: true }, null],
  ['nothing, of a cloud provider with both consents', cloud, ready, null],
  ['no provider', { ...local, provider: 'disabled' }, ready, /no AI provider is chosen/],
  ['no model', { ...local, models: ai.models }, ready, /no model/],
  ['no key', { ...cloud, keys: ai.keys }, ready, /no key/],
  ['offline mode', cloud, { ...ready, offline: true }, /offline mode/],
  ['no consent to send data', { ...cloud, consents: ai.consents }, ready, /nobody has agreed that data is sent/],
  [
    'consent for another one',
    { ...cloud, notifications: { ...scheduled, automationConsent: 'cloud_b' } },
    ready,
    /without a question/,
  ],
  ['no consent for automation', { ...cloud, notifications: scheduled }, ready, /without a question/],
  ['no place to go to', chatOnly, ready, /chat workspace cannot receive/],
  ['nothing, of chat that is ready', chatOnly, { ...ready, isChatReady: true }, null],
  [
    'a time zone that is gone',
    { ...local, notifications: { ...scheduled, timezone: 'Mars/Olympus' } },
    ready,
    /no time zone/,
  ],
] as const)('%s', (_name, settings, surroundings, says) => {
  const hindrance = findHindrance(settings as AiSettings, surroundings);
  if (says === null) {
    expect(hindrance).toBeNull();
  } else {
    expect(hindrance?.sentence).toMatch(says);
  }
});
