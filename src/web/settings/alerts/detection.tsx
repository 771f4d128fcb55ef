// Which detections go where, and what counts as a contact at regular intervals.
import { ask } from '../../api/client.ts';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';
import { BeaconSettings } from './beacon-settings.tsx';

export function Detection() {
  const { channels } = words.value;
  const { value, error, reload } = useLoaded('detection', (signal) =>
    Promise.all([
      ask('GET /api/config/detection-notifications', {}, signal),
      ask('GET /api/beacons/config', {}, signal),
    ]),
  );
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <FormCard
        title={channels.title}
        part="channels"
        help={channels.help}
        route="POST /api/config/detection-notifications"
        words={channels}
        values={value[0].config}
        saved={reload}
      />
      <BeaconSettings config={value[1].config} saved={reload} />
    </div>
  );
}
