// Which provider may be asked, with what, and how its settings change: tables with each condition on both sides.
import { expect, test } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { describeAvailability } from '#hub/analyse/ai/availability.ts';
import {
  type AiSettings,
  isReachableOffline,
  providerTitles,
  requireConsent,
  resolveListingTarget,
  resolveQuestionTarget,
} from '#hub/analyse/ai/choice.ts';
import { type AiChange, applyAiChange } from '#hub/analyse/ai/config/change.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';

const { ai: empty } = emptySettings();
/** Everything that any provider needs. */
const full: AiSettings = {
  ...empty,
  models: { local: 'm-local', cloud_a: 'm-a', cloud_b: 'm-b', cloud_c: 'm-c' },
  keys: { cloud_a: 'key-a', cloud_b: 'key-b' },
  consents: { cloud_a: true, cloud_b: true, cloud_c: true },
  ...{ localEndpoint: 'http://192.168.1.5:11434//', region: 'eu-central-1' },
  guardrail: { enabled: true, id: 'guard', version: '2' },
};
const none = { key: '', region: '', endpoint: '', guardrail: null };

test('a target has what its provider needs, and nothing that is of another one', () => {
  const targets = aiProviderNames.map((provider) => resolveQuestionTarget({ ...full, provider }, false));
  expect(targets).toEqual([
    { ...none, provider: 'local', model: 'm-local', endpoint: 'http://192.168.1.5:11434' },
    { ...none, provider: 'cloud_a', model: 'm-a', key: 'key-a' },
    { ...none, provider: 'cloud_b', model: 'm-b', key: 'key-b' },
    { ...none, provider: 'cloud_c', model: 'm-c', region: 'eu-central-1', guardrail: { id: 'guard', version: '2' } },
  ]);
  const resolveGuardrail = (guardrail: AiSettings['guardrail']) =>
    resolveListingTarget({ ...full, provider: 'cloud_c', guardrail }, false).guardrail;
  expect(resolveGuardrail({ enabled: true, id: 'guard', version: '' })).toEqual({ id: 'guard', version: 'DRAFT' });
  expect(resolveGuardrail({ enabled: true, id: '', version: '2' })).toBeNull();
  expect(resolveGuardrail({ enabled: false, id: 'guard', version: '2' })).toBeNull();
});

const keysWithout = { cloud_a: { cloud_a: '', cloud_b: 'key-b' }, cloud_b: { cloud_a: 'key-a', cloud_b: '' } };
const chooseEndpoint = (localEndpoint: string) => ({ provider: 'local' as const, localEndpoint });

test.each([
  [{ provider: 'disabled' }, false, 'ai_disabled'],
  [{ provider: 'disabled' }, true, 'ai_disabled'],
  [{ provider: 'local' }, true, null],
  [chooseEndpoint('http://192.168.1.5'), true, null],
  [chooseEndpoint('http://[fd00::5]:80'), true, null],
  [chooseEndpoint('http://127.0.0.1:1'), true, null],
  [chooseEndpoint('http://203.0.113.5'), true, 'ai_offline'],
  [chooseEndpoint('http://ai.lan'), true, 'ai_offline'],
  [chooseEndpoint('no address'), true, 'ai_offline'],
  [chooseEndpoint('http://ai.lan'), false, null],
  [{ provider: 'cloud_a' }, true, 'ai_offline'],
  [{ provider: 'cloud_b' }, true, 'ai_offline'],
  [{ provider: 'cloud_c' }, true, 'ai_offline'],
  [{ provider: 'cloud_a', keys: keysWithout.cloud_a }, false, 'ai_key_missing'],
  [{ provider: 'cloud_a', keys: keysWithout.cloud_b, region: '' }, false, null],
  [{ provider: 'cloud_b', keys: keysWithout.cloud_b }, false, 'ai_key_missing'],
  [{ provider: 'cloud_b', keys: keysWithout.cloud_a, region: '' }, false, null],
  [{ provider: 'cloud_c', keys: empty.keys }, false, null],
  [{ provider: 'cloud_c', region: '' }, false, 'ai_region_missing'],
  [{ provider: 'local', keys: empty.keys, region: '' }, false, null],
] as const)('%j, offline: %s, is refused as %s', (change, offline, code) => {
  const settings = { ...full, ...change };
  const refused = (what: () => unknown) => {
    try {
      what();
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(refused(() => resolveListingTarget(settings, offline))).toBe(code);
  expect(refused(() => resolveQuestionTarget(settings, offline))).toBe(code);
  const unnamed = { ...settings, models: empty.models };
  expect(refused(() => resolveListingTarget(unnamed, offline))).toBe(code);
  expect(refused(() => resolveQuestionTarget(unnamed, offline))).toBe(code ?? 'ai_model_missing');
  if (offline) {
    expect(isReachableOffline(settings)).toBe(code === null);
  }
  // What is shown of the providers agrees: the chosen one is on when it can be asked, and all others are off.
  const shown = describeAvailability(settings, offline);
  for (const name of aiProviderNames) {
    const isAsked = code === null && settings.provider === name;
    const elsewhere = offline && name !== 'local' ? 'offline_mode' : 'switched_off';
    const ownReason =
      code === 'ai_offline' && name === 'local' ? 'offline_mode_requires_internal_endpoint' : 'not_configured';
    const reason = settings.provider === name && (name === 'local' || !offline) ? ownReason : elsewhere;
    expect([name, shown[`ai-${name}`]]).toEqual([name, { enabled: isAsked, reason: isAsked ? null : reason }]);
  }
  const { provider } = settings;
  if (provider !== 'disabled' && code === null) {
    const [named, unconsented] = [{ ...settings.models, [provider]: '' }, empty.consents];
    const off = { enabled: false, reason: 'not_configured' };
    expect(describeAvailability({ ...settings, models: named }, offline)[`ai-${provider}`]).toEqual(off);
    expect(describeAvailability({ ...settings, consents: unconsented }, offline)[`ai-${provider}`]).toEqual(
      provider === 'local' ? { enabled: true, reason: null } : off,
    );
  }
});

test.each(aiProviderNames)(
  '%s is asked when it was agreed to in the settings and confirmed with the request; a local server always',
  (provider) => {
    const consent = (consents: AiSettings['consents'], confirmed: boolean) => () =>
      requireConsent({ ...full, consents }, { provider }, confirmed);
    const only = { ...empty.consents, [provider]: true };
    const others = { ...full.consents, [provider]: false };
    expect(consent(only, true)).not.toThrow();
    if (provider === 'local') {
      expect(consent(others, false)).not.toThrow();
    } else {
      expect(consent(others, true)).toThrow(
        new RegExp(`^nobody has agreed that data is sent to ${providerTitles[provider]}`),
      );
      expect(consent(only, false)).toThrow(
        new RegExp(`^this would be sent to ${providerTitles[provider]}: confirm it`),
      );
    }
  },
);

const before: AiSettings = { ...full, provider: 'cloud_a', consents: { ...empty.consents, cloud_a: true } };
const agreed: AiSettings = { ...before, notifications: { ...before.notifications, automationConsent: 'cloud_a' } };

test.each<[AiChange, object]>([
  [{}, {}],
  [{ models: { cloud_b: 'new' } }, { models: { ...full.models, cloud_b: 'new' } }],
  [{ localEndpoint: 'http://10.0.0.9' }, { localEndpoint: 'http://10.0.0.9' }],
  [{ region: 'us-east-1' }, { region: 'us-east-1' }],
  [{ guardrail: { version: '3' } }, { guardrail: { enabled: true, id: 'guard', version: '3' } }],
  [{ guardrail: { enabled: false, id: '' } }, { guardrail: { enabled: false, id: '', version: '2' } }],
  [{ keys: { cloud_a: 'new' } }, { keys: { cloud_a: 'new', cloud_b: 'key-b' } }],
  [{ keys: { cloud_a: '', cloud_b: 'new' } }, { keys: { cloud_a: 'key-a', cloud_b: 'new' } }],
  [{ keys: { cloud_a: 'new' }, clearKeys: ['cloud_a'] }, { keys: { cloud_a: '', cloud_b: 'key-b' } }],
  [{ cloudConsent: { cloud_b: true } }, { consents: { cloud_a: true, cloud_b: true, cloud_c: false } }],
  [{ cloudConsent: true }, {}],
  [
    { provider: 'cloud_c', cloudConsent: true },
    { provider: 'cloud_c', consents: { cloud_a: true, cloud_b: false, cloud_c: true } },
  ],
  [{ provider: 'local', cloudConsent: true }, { provider: 'local' }],
  [
    { provider: 'disabled', cloudConsent: { cloud_a: false } },
    { provider: 'disabled', consents: empty.consents },
  ],
])('the change %j changes nothing besides', (change, changed) => {
  expect(applyAiChange(before, change, false)).toEqual({ ...before, ...changed });
  // Who agreed to automation agreed to the provider of then, also when it comes back.
  const isOther = 'provider' in changed;
  const { automationConsent } = applyAiChange(agreed, change, false).notifications;
  expect(automationConsent).toBe(isOther ? null : 'cloud_a');
  expect(
    applyAiChange({ ...agreed, ...changed } as AiSettings, { provider: 'cloud_a', cloudConsent: true }, false),
  ).toMatchObject({ notifications: { automationConsent: isOther ? null : 'cloud_a' } });
});

test.each<[AiChange, boolean, string | null, Partial<AiSettings>?]>([
  [{ localEndpoint: 'ftp://10.0.0.9' }, false, 'ai_endpoint_rejected'],
  [{ guardrail: { id: '' } }, false, 'invalid_body'],
  [{ provider: 'cloud_b' }, false, 'ai_consent_missing'],
  [{ cloudConsent: { cloud_a: false } }, false, 'ai_consent_missing'],
  [{ provider: 'cloud_b', cloudConsent: true }, true, 'ai_offline'],
  [{ provider: 'local' }, true, null],
  [{ provider: 'local', localEndpoint: 'http://ai.lan' }, true, 'ai_offline'],
  [{ localEndpoint: 'http://ai.lan' }, true, 'ai_offline', { provider: 'local' }],
  [{ localEndpoint: 'http://ai.lan' }, true, null, { provider: 'disabled' }],
  [{ region: 'us-east-1' }, true, null],
  [{ provider: 'disabled' }, true, null],
])('the change %j, offline: %s, is refused as %s', (change, offline, code, more = {}) => {
  const make = () => applyAiChange({ ...before, ...more }, change, offline);
  if (code === null) {
    expect(make).not.toThrow();
  } else {
    expect(make).toThrow(expect.objectContaining({ code }));
  }
});
