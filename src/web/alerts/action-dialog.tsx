// The dialog of an action on alerts: a note, the duration of a mute, the scope of a rule. Enter in the note submits it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RuleScope } from '#contract/alert-records.ts';
import { now } from '../clock.ts';
import { AlertTitle } from '../parts/alert-title.tsx';
import { alertDevice } from '../parts/alert-words.ts';
import { Select } from '../parts/choice.tsx';
import { TextField } from '../parts/fields.tsx';
import { Form, readText } from '../parts/form.tsx';
import { Modal } from '../parts/modal.tsx';
import type { Alert } from '../state/alerts.ts';
import { words } from '../text/alerts/words.ts';
import { text } from '../text/text.ts';
import { act, asked, type Details } from './act.ts';
import { describeAlerts } from './action-buttons.tsx';
import { type Duration, durations, toEnd } from './durations.ts';

/** The hub refuses a note with more characters. */
const mostNote = 500;

export function ActionDialog() {
  return asked.value === null ? null : <Question {...asked.value} />;
}

function Question({ name, alerts }: NonNullable<typeof asked.value>) {
  const t = words.value;
  const body = useRef<HTMLDivElement>(null);
  const [duration, setDuration] = useState<Duration>('day');
  const [scope, setScope] = useState<RuleScope>('alert');
  const [first] = alerts;
  const [device, setDevice] = useState(first?.devices[0]?.device ?? '');
  const isRule = name === 'mute' || name === 'expect';
  const choosesDevice = scope === 'device' && alerts.length === 1 && (first?.deviceCount ?? 0) > 1;
  // After the dialog was shown: the note has the focus, so that Enter is enough.
  useLayoutEffect(() => body.current?.querySelector('input')?.focus(), []);
  const save = async (values: FormData) => {
    const note = readText(values, 'note');
    const details: Details = {
      ...(note && { note }),
      ...(isRule && { scope }),
      ...(choosesDevice && { device }),
      ...(name === 'mute' && { until: toEnd(duration, now()) }),
    };
    await act(name, alerts, details);
    // Closing a modal dialog returns the focus to the button that opened it.
    body.current?.closest('dialog')?.close();
  };
  return (
    <Modal title={t.titles[name]} kind="alert-action" close={() => close(alerts)}>
      <div ref={body}>
        <p class="alert-title">
          {alerts.length === 1 && first ? <AlertTitle alert={first} /> : describeAlerts(alerts)}
        </p>
        <p class="help">{t.helps[name]}</p>
        <Form submit={t.titles[name]} save={save}>
          {name === 'mute' ? (
            <Select
              label={t.howLong}
              value={duration}
              values={durations}
              describe={(one) => t.durations[one]}
              choose={setDuration}
            />
          ) : null}
          {isRule ? (
            <Select
              label={t.scope}
              value={scope}
              values={scopesOf(alerts)}
              describe={(one) => t.scopes[one]}
              choose={setScope}
            />
          ) : null}
          {choosesDevice && first ? <Devices alert={first} device={device} choose={setDevice} /> : null}
          <TextField name="note" label={isRule ? t.reason : t.note} maxLength={mostNote} autocomplete="off" />
        </Form>
      </div>
    </Modal>
  );
}

/** Called when a dialog has closed: another one may be open by then, and stays. */
function close(alerts: readonly Alert[]): void {
  if (asked.value?.alerts === alerts) {
    asked.value = null;
  }
}

function Devices({ alert, device, choose }: { alert: Alert; device: string; choose: (device: string) => void }) {
  const names = new Map(alert.devices.map((one) => [one.device, alertDevice(one)]));
  return (
    <Select
      label={text.value.alerts.device}
      value={device}
      values={[...names.keys()]}
      describe={(one) => names.get(one) ?? one}
      choose={choose}
    />
  );
}

/** A destination can be covered only where there is one; one device only where it is known which. */
function scopesOf(alerts: readonly Alert[]): RuleScope[] {
  const haveTargets = alerts.every(({ target }) => target !== null);
  const haveDevice = alerts.length === 1 || alerts.every(({ deviceCount }) => deviceCount === 1);
  return [
    'alert',
    ...(haveTargets && haveDevice ? (['device'] as const) : []),
    ...(haveTargets ? (['network'] as const) : []),
  ];
}
