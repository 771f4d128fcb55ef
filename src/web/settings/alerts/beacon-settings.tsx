// The settings of the beacon search, and a trial of what they would have told before they are saved.
import { forms } from 'virtual:forms';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Input, type Reply } from '../../api/client.ts';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { FormCard } from '../form/form-card.tsx';
import { readFields } from '../form/read-fields.ts';
import { ToldBeacons } from './told-beacons.tsx';

const route = 'POST /api/beacons/config';
const trial = 'POST /api/beacons/preview';
const units = { minIntervalMs: 1000, maxIntervalMs: 60_000, scanIntervalMs: 60_000 };

export function BeaconSettings({ config, saved }: { config: object; saved: () => void }) {
  const { beacons, beaconTrial: t } = words.value;
  const action = useAction();
  const [found, setFound] = useState<Reply<typeof trial> | null>(null);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const begin = (form: HTMLFormElement | null) => {
    if (!form?.reportValidity()) {
      return;
    }
    const body = readFields(forms[route], new FormData(form), units) as Extract<
      Input<typeof trial>,
      { body: unknown }
    >['body'];
    setFound(null);
    void action.run(async () => setFound(await ask(trial, { body }, left.current.signal)));
  };
  return (
    <FormCard
      title={beacons.title}
      part="beacons"
      help={beacons.help}
      route={route}
      words={beacons}
      values={config}
      units={units}
      saved={saved}
      more={
        <button
          type="button"
          disabled={action.isBusy}
          aria-busy={action.isBusy}
          onClick={({ currentTarget }) => begin(currentTarget.form)}
        >
          {action.isBusy ? text.value.busy : t.begin}
        </button>
      }
      after={
        <>
          <p class="help">{t.help}</p>
          {action.isBusy ? <progress aria-label={t.begin} /> : null}
          <p role="status">
            {found === null ? null : t.found(number(found.given), number(found.saved), number(found.both))}
          </p>
          <Outcome action={action} />
          {found === null ? null : <ToldBeacons found={found} />}
        </>
      }
    />
  );
}
