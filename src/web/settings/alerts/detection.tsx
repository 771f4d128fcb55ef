// Which detections go where, and what counts as a contact at regular intervals.
import { ask } from '../../api/client.ts';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { BeaconSettings } from './beacon-settings.tsx';
import { ChannelSettings } from './channel-settings.tsx';

export function Detection() {
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
      <ChannelSettings config={value[0].config} saved={reload} />
      <BeaconSettings config={value[1].config} saved={reload} />
    </div>
  );
}
