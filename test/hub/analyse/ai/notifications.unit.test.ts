// Settings of notifications, what is due, and the alert that carries an analysis: tables with both sides of each condition.
import { expect, test } from 'vitest';
import type { AiSettings } from '#hub/analyse/ai/choice.ts';
import type { Answer } from '#hub/analyse/ai/generations.ts';
import { createAnalysisEvent } from '#hub/analyse/ai/notifications/alert.ts';
import type { Attempt } from '#hub/analyse/ai/notifications/attempts.ts';
import { applyConfigChange, toNotificationConfig } from '#hub/analyse/ai/notifications/config.ts';
import { filterByKey, findScheduledDue, isLimitReached } from '#hub/analyse/ai/notifications/due.ts';
import { isAnyRuleOn, isAutomationAgreed } from '#hub/analyse/ai/notifications/readiness.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';

const { ai } = emptySettings();
const off = { scheduled: false, danger: false, newDestination: false, increase: false };
const rule = (name: keyof typeof off) => ({ ...off, [name]: true });
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

test.each(['scheduled', 'danger', 'newDestination', 'increase'] as const)('%s alone is a rule that is on', (name) => {
  const settings: AiSettings = { ...ai, notifications: { ...ai.notifications, rules: rule(name), scheduleSetAt: 5 } };
  expect(isAnyRuleOn(settings.notifications)).toBe(true);
  const shown = toNotificationConfig(settings);
  expect(shown.threat.enabled).toBe(name !== 'scheduled');
  expect(shown).not.toHaveProperty('scheduleSetAt');
  expect(shown).not.toHaveProperty('dangerThreshold');
  expect(isAnyRuleOn({ rules: off })).toBe(false);
});

test('automation is agreed for the provider that is chosen, and never for none', () => {
  const agreed = (provider: AiSettings['provider'], automationConsent: 'local' | 'cloud_a' | null) =>
    isAutomationAgreed({ ...ai, provider, notifications: { ...ai.notifications, automationConsent } });
  expect([agreed('cloud_a', 'cloud_a'), agreed('cloud_b', 'cloud_a'), agreed('cloud_a', null)]).toEqual([
    ...[true, false, false],
  ]);
  expect([agreed('local', 'local'), agreed('disabled', null)]).toEqual([true, false]);
});

type Sent = Parameters<typeof applyConfigChange>[1];
const sent: Sent = {
  ...{ frequency: 'daily', weekday: 3, time: '07:30', timezone: 'UTC', rangeHours: 24, rules: off },
  destinations: { ui: true, chat: false },
  threat: { enabled: false, dangerThreshold: 2, newDestinationsThreshold: 3, increaseThreshold: 4 },
  ...{ dailyLimit: 6, cooldownMinutes: 15, automationConsent: false },
};
const change = (
  more: Partial<Sent>,
  provider: AiSettings['provider'] = 'local',
  notifications = ai.notifications,
  isChatReady = false,
) => applyConfigChange({ provider, notifications }, { ...sent, ...more }, { isChatReady, now: 1000 });
const both = { ui: true, chat: true };

test.each<[Partial<Sent>, string, AiSettings['provider']?]>([
  [{ timezone: 'Mars/Olympus' }, 'invalid_body'],
  [{ destinations: { ui: false, chat: false } }, 'invalid_body'],
  [{ frequency: 'off', rules: rule('scheduled') }, 'invalid_body'],
  [{ destinations: both }, 'ai_chat_missing'],
  [{ rules: rule('danger') }, 'ai_consent_missing', 'cloud_a'],
  [{ rules: rule('scheduled') }, 'ai_consent_missing', 'cloud_c'],
  [{ rules: undefined }, 'ai_consent_missing', 'cloud_b'],
])('%j is refused as %s', (more, code, provider) => {
  expect(() => change(more, provider)).toThrow(expect.objectContaining({ code }));
});

test.each<[Partial<Sent>, AiSettings['provider'], AiSettings['notifications']['automationConsent'], boolean?]>([
  [{ destinations: { ui: false, chat: true } }, 'local', null, true],
  [{ destinations: both }, 'local', null, true],
  [{ frequency: 'off', rules: rule('danger') }, 'local', null],
  [{ rules: rule('danger') }, 'disabled', null],
  [{ rules: rule('danger'), automationConsent: true }, 'disabled', null],
  [{ rules: off }, 'cloud_a', null],
  [{ rules: rule('danger'), automationConsent: true }, 'cloud_a', 'cloud_a'],
  [{ rules: rule('scheduled'), automationConsent: true }, 'local', 'local'],
])('%j of %s is saved with the consent for %s', (more, provider, consent, isChatReady) => {
  const { threat, automationConsent: _, ...same } = { ...sent, ...more };
  const { enabled: __, ...thresholds } = threat;
  expect(change(more, provider, ai.notifications, isChatReady)).toEqual({
    ...{ ...same, ...thresholds, scheduleSetAt: 1000, automationConsent: consent },
  });
});

test('rules that are not sent follow frequency and threat.enabled; a schedule that stays the same keeps its instant', () => {
  const threats = (enabled: boolean) => ({ ...sent.threat, enabled });
  const unsent = { rules: undefined };
  expect(change({ ...unsent, threat: threats(true) }).rules).toEqual({
    ...off,
    ...rule('danger'),
    scheduled: true,
    newDestination: true,
    increase: true,
  });
  expect(change({ ...unsent, frequency: 'off', threat: threats(false) }).rules).toEqual(off);
  const before = { ...change({ rules: rule('scheduled') }), scheduleSetAt: 5 };
  const setAt = (more: Partial<Sent>) => change({ rules: rule('scheduled'), ...more }, 'local', before).scheduleSetAt;
  expect(setAt({ rangeHours: 1 })).toBe(5);
  expect(
    [{ frequency: 'weekly' }, { weekday: 4 }, { time: '07:31' }, { timezone: 'Asia/Tokyo' }, { rules: off }].map(
      (one) => setAt(one as Partial<Sent>),
    ),
  ).toEqual(Array.from({ length: 5 }, () => 1000));
});

const noon = Date.UTC(2026, 2, 10, 12);
const attempt = (at: number, more: Partial<Attempt> = {}): Attempt => ({
  ...{ type: 'threat', key: 'k', cause: 'danger', number: 1, isDone: false, at, ...more },
});

test('the limit counts what was begun on this day of the time zone', () => {
  const reached = (dailyLimit: number, timezone: string, ...at: number[]) =>
    isLimitReached(
      { dailyLimit, timezone },
      at.map((one) => attempt(one)),
      noon,
    );
  const [midnight, tokyo] = [noon - 12 * hour, noon - 21 * hour];
  expect([reached(1, 'UTC'), reached(1, 'UTC', midnight), reached(1, 'UTC', midnight - 1)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([reached(2, 'UTC', midnight), reached(2, 'UTC', midnight, noon), reached(1, 'UTC', noon, noon)]).toEqual([
    ...[false, true, true],
  ]);
  expect([reached(1, 'Asia/Tokyo', tokyo), reached(1, 'Asia/Tokyo', tokyo - 1)]).toEqual([true, false]);
  // A zone that is not known counts as UTC; what lies ahead after a change of the clock counts on its day.
  expect([reached(1, 'Mars/Olympus', midnight), reached(1, 'Mars/Olympus', midnight - 1)]).toEqual([true, false]);
  expect([reached(1, 'UTC', noon + hour), reached(1, 'UTC', noon + day)]).toEqual([true, false]);
});

test('a scheduled analysis is due at its time, waits after a try, and is over when it is done or was not asked for', () => {
  const daily = {
    ...ai.notifications,
    rules: rule('scheduled'),
    frequency: 'daily' as const,
    time: '11:00',
    timezone: 'UTC',
  };
  const key = 'scheduled:daily:2026-03-10:11:00';
  const [today, tomorrow] = [noon - hour, noon + 23 * hour];
  const due = (attempts: Attempt[], more: Partial<typeof daily> = {}, now = noon) => {
    const next = findScheduledDue({ ...daily, scheduleSetAt: 0, ...more }, attempts, now);
    return next && [next.at, next.trigger.key];
  };
  const tomorrows = [tomorrow, 'scheduled:daily:2026-03-11:11:00'];
  const tried = (ms: number, more: Partial<Attempt> = {}) => [attempt(noon - ms, { key, type: 'scheduled', ...more })];
  expect(findScheduledDue({ ...daily, scheduleSetAt: 0 }, [], noon)?.trigger).toEqual({
    type: 'scheduled',
    key,
    cause: 'daily',
  });
  expect(due([])).toEqual([today, key]);
  expect(due([], {}, today)).toEqual([today, key]);
  expect(due([], {}, today - 1)).toEqual([today, key]);
  expect(due([], { rules: rule('danger') })).toBeNull();
  expect(due([], { frequency: 'off' as never })).toBeNull();
  expect(due(tried(minute, { isDone: true }))).toEqual(tomorrows);
  expect(due(tried(minute))).toEqual([noon + 4 * minute, key]);
  expect(due(tried(5 * minute))).toEqual([today, key]);
  expect(due(tried(minute, { key: 'another' }))).toEqual([today, key]);
  expect(due([4, 3, 2, 1].flatMap((one) => tried(one * minute)))).toEqual(tomorrows);
  // Asked for after it was due; an instant that lies ahead is one of a clock that was put back.
  expect(due([], { scheduleSetAt: today })).toEqual([today, key]);
  expect(due([], { scheduleSetAt: today + 1 })).toEqual(tomorrows);
  expect(due([], { scheduleSetAt: noon })).toEqual(tomorrows);
  expect(due([], { scheduleSetAt: noon + 1 })).toEqual([today, key]);
  expect(filterByKey([attempt(1), attempt(2, { key: 'b' })], 'b')).toEqual([attempt(2, { key: 'b' })]);
});

test.each([
  ['scheduled', 'daily', 'Scheduled analysis', []],
  ['manual', 'manual', 'Analysis on request', []],
  ['threat', 'danger', 'Analysis after a threat', ['connections to listed destinations']],
  [
    'threat',
    'danger+increase',
    'Analysis after a threat',
    ['connections to listed destinations, more threats than before'],
  ],
  ['threat', 'newDestination', 'Analysis after a threat', ['new destinations']],
] as const)('the alert of %s (%s) is titled %s', (type, cause, title, because) => {
  const answer = { provider: 'cloud_a', model: 'm', text: 'That.', generatedAt: 7 } as Answer;
  expect(createAnalysisEvent('ai|1', { type, cause, from: noon - day, to: noon + 59_999 }, answer)).toEqual({
    ...{ key: 'ai|1', kind: 'ai', state: 'raised', level: 'info', at: 7, title, body: 'That.' },
    facts: [
      { name: 'period', label: 'Period', value: '2026-03-09T12:00Z until 2026-03-10T12:00Z' },
      ...because.map((value) => ({ name: 'because', label: 'Because of', value })),
      { name: 'writtenBy', label: 'Written by', value: 'Anthropic, m' },
    ],
  });
});
