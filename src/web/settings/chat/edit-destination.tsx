// The form that adds or changes a destination. The hub saves the settings only after the destination has taken a test event.
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { CheckField, Group, TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { isolateName } from '../../parts/outside.ts';
import { language } from '../../state/preferences.ts';
import { useTitle } from '../../state/title.ts';
import { dayMs } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { DestinationFields, type Kind, readSettings } from './destination-fields.tsx';
import type { Destination } from './destination-row.tsx';

interface Props {
  /** The destination to change; absent when a new one is added. */
  destination: Destination | undefined;
  leave: () => void;
}

/** Days as the hub numbers them; 0 is Sunday. */
const days = [0, 1, 2, 3, 4, 5, 6] as const;

export function EditDestination({ destination, leave }: Props) {
  const t = words.value.destinations;
  useTitle(destination?.name ?? t.add);
  const [kind, setKind] = useState<Kind>(destination?.settings.kind ?? 'webhook');
  const save = async (values: FormData) => {
    const body = { ...readRest(values), settings: readSettings(values, kind, destination?.settings) };
    await (destination
      ? ask('PUT /api/destinations/:id', { params: { id: destination.id }, body })
      : ask('POST /api/destinations', { body }));
    leave();
  };
  return (
    <Card title={destination ? isolateName(destination.name) : t.add}>
      <Form
        submit={t.save}
        save={save}
        more={
          <button type="button" onClick={leave}>
            {t.back}
          </button>
        }
      >
        <TextField name="name" label={t.name} required maxLength={64} value={destination?.name ?? ''} />
        {destination ? null : (
          <Group label={t.kind}>
            {(Object.keys(t.kinds) as Kind[]).map((one) => (
              <Choice key={one} type="radio" name="kind" isChosen={one === kind} choose={() => setKind(one)}>
                {t.kinds[one]}
              </Choice>
            ))}
          </Group>
        )}
        <DestinationFields key={kind} kind={kind} stored={destination?.settings} />
        <Told destination={destination} />
        <QuietHours quietHours={destination?.quietHours ?? null} />
        <CheckField name="dangerAnyway" label={t.dangerAnyway} isOn={destination?.dangerAnyway ?? true} />
        <p class="help">{t.saveHelp}</p>
      </Form>
    </Card>
  );
}

function Told({ destination }: Pick<Props, 'destination'>) {
  const t = words.value.destinations;
  return (
    <Group label={t.tells}>
      {(Object.keys(t.told) as (keyof typeof t.told)[]).map((kind) => (
        <CheckField key={kind} name="tells" value={kind} label={t.told[kind]} isOn={destination?.tells[kind] ?? true} />
      ))}
      <CheckField name="tellResolved" label={t.tellResolved} isOn={destination?.tellResolved ?? true} />
    </Group>
  );
}

function QuietHours({ quietHours }: Pick<Destination, 'quietHours'>) {
  const t = words.value.destinations;
  const format = new Intl.DateTimeFormat(language.value, { weekday: 'long', timeZone: 'UTC' });
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Group label={t.quietHours}>
      <CheckField name="quiet" label={t.quietOn} isOn={quietHours !== null} />
      <TextField name="from" type="time" label={t.from} value={quietHours?.from ?? '22:00'} />
      <TextField name="quietHours.to" type="time" label={t.to} value={quietHours?.to ?? '07:00'} />
      <TextField name="quietHours.timeZone" label={t.timeZone} value={quietHours?.timeZone ?? own} />
      {days.map((day) => (
        <CheckField
          key={day}
          name="days"
          value={String(day)}
          // The epoch began on a Thursday, so its fourth day was a Sunday.
          label={format.format((3 + day) * dayMs)}
          isOn={quietHours?.days.includes(day) ?? true}
        />
      ))}
    </Group>
  );
}

function readRest(values: FormData) {
  const kinds = Object.keys(words.value.destinations.told) as (keyof Destination['tells'])[];
  const told = values.getAll('tells');
  return {
    name: readText(values, 'name'),
    tells: Object.fromEntries(kinds.map((kind) => [kind, told.includes(kind)])) as Destination['tells'],
    tellResolved: values.has('tellResolved'),
    dangerAnyway: values.has('dangerAnyway'),
    quietHours: values.has('quiet')
      ? {
          from: readText(values, 'from'),
          to: readText(values, 'quietHours.to'),
          timeZone: readText(values, 'quietHours.timeZone'),
          days: values.getAll('days').map(Number),
        }
      : null,
  };
}
