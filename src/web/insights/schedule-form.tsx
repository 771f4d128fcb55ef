// The form of scheduled analyses: times, triggers, limits and delivery.

import { describeAiError } from '../ai/failure.ts';
import { providerName } from '../ai/provider.ts';
import { ask, type Reply } from '../api/client.ts';
import { calendar } from '../clock.ts';
import { CheckField, ChoiceField, Group, NumberField, TextField } from '../parts/fields.tsx';
import { Form, readText } from '../parts/form.tsx';
import { language } from '../state/preferences.ts';
import { words } from '../text/ai/words.ts';

export type Automation = Reply<'GET /api/ai/notification-config'>;

const frequencies = ['off', 'daily', 'weekly'] as const;

export function ScheduleForm({ automation: { config, status }, saved }: { automation: Automation; saved: () => void }) {
  const t = words.value;
  const { rules, threat, destinations, dailyLimit, cooldownMinutes } = config;
  const save = async (values: FormData) => {
    const whole = (name: string) => Number(readText(values, name));
    const isOn = (name: string) => values.has(name);
    const frequency = frequencies.find((one) => one === readText(values, 'frequency')) ?? 'off';
    const body = {
      frequency,
      weekday: whole('weekday'),
      time: readText(values, 'time'),
      timezone: readText(values, 'timezone'),
      rangeHours: whole('rangeHours'),
      destinations: { ui: isOn('ui'), chat: isOn('chat') },
      rules: {
        scheduled: frequency !== 'off',
        danger: isOn('danger'),
        newDestination: isOn('newDestination'),
        increase: isOn('increase'),
      },
      threat: {
        enabled: isOn('danger') || isOn('newDestination') || isOn('increase'),
        dangerThreshold: whole('dangerFrom'),
        newDestinationsThreshold: whole('newDestinationFrom'),
        increaseThreshold: whole('increaseFrom'),
      },
      dailyLimit: whole('dailyLimit'),
      cooldownMinutes: whole('cooldown'),
      automationConsent: isOn('auto'),
    };
    await ask('POST /api/ai/notification-config', { body });
    saved();
  };
  const triggers = [
    ['danger', threat.dangerThreshold],
    ['newDestination', threat.newDestinationsThreshold],
    ['increase', threat.increaseThreshold],
  ] as const;
  return (
    <Form submit={t.save} done={t.saved} reason={describeAiError} save={save}>
      <ChoiceField
        name="frequency"
        label={t.frequency}
        value={config.frequency}
        choices={frequencies.map((value) => ({ value, label: t.frequencies[value] }))}
      />
      <ChoiceField
        name="weekday"
        label={t.weekday}
        value={String(config.weekday)}
        choices={[0, 1, 2, 3, 4, 5, 6].map((day) => ({ value: String(day), label: dayName(day) }))}
      />
      <TextField name="time" label={t.time} type="time" required value={config.time} />
      <ChoiceField
        name="timezone"
        label={t.timezone}
        value={config.timezone}
        choices={listTimeZones(config.timezone).map((value) => ({ value, label: value }))}
      />
      <NumberField name="rangeHours" label={t.rangeHours} min={1} max={336} value={config.rangeHours} />
      <Group label={t.deliver}>
        <CheckField name="ui" label={t.toPage} isOn={destinations.ui} />
        <CheckField name="chat" label={t.toChat} isOn={destinations.chat} />
      </Group>
      <Group label={t.when}>
        {triggers.map(([name, from]) => (
          <Group key={name} label="">
            <CheckField name={name} label={t[name]} isOn={rules[name]} />
            <NumberField
              name={`${name}From`}
              label={`${t[name]}: ${name === 'increase' ? t.times : t.from}`}
              min={1}
              max={1000}
              value={from}
            />
          </Group>
        ))}
      </Group>
      <NumberField name="dailyLimit" label={t.dailyLimit} min={1} max={6} value={dailyLimit} />
      <NumberField name="cooldown" label={t.cooldown} min={15} max={1440} value={cooldownMinutes} />
      {status.provider === 'disabled' ? null : (
        <CheckField name="auto" label={t.auto(providerName(status.provider))} isOn={config.automationConsent} />
      )}
    </Form>
  );
}

/** 0 is Sunday; 4 January 1970 was one. */
function dayName(day: number): string {
  return new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' }).format(
    calendar((day + 3) * 86_400_000),
  );
}

/** The saved one first, then that of this browser. */
function listTimeZones(saved: string): string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set([saved, own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
