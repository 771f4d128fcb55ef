// The settings of the beacon search, and a trial of what they would have told before they are saved.
import { forms } from 'virtual:forms';
import { ask, type Input } from '../../api/client.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';
import { readFields } from '../form/read-fields.ts';
import { ToldBeacons } from './told-beacons.tsx';
import { useTrial } from './use-trial.tsx';

const route = 'POST /api/beacons/config';
const trial = 'POST /api/beacons/preview';
const units = { minIntervalMs: 1000, maxIntervalMs: 60_000, scanIntervalMs: 60_000 };

export function BeaconSettings({ config, saved }: { config: object; saved: () => void }) {
  const { beacons, beaconTrial: t } = words.value;
  const { found, button, progress, outcome } = useTrial(t.begin, (values, signal) => {
    const body = readFields(forms[route], values, units) as Extract<Input<typeof trial>, { body: unknown }>['body'];
    return ask(trial, { body }, signal);
  });
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
      more={button}
      after={
        <>
          <p class="help">{t.help}</p>
          {progress}
          <p role="status">
            {found === null ? null : t.found(number(found.given), number(found.saved), number(found.both))}
          </p>
          {outcome}
          {found === null ? null : <ToldBeacons found={found} />}
        </>
      }
    />
  );
}
