// What somebody wrote about the device of a connection, and the place to write it.
import { useEffect } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { Fact } from '../parts/fact.tsx';
import { NoteEditor } from '../parts/note-editor.tsx';
import { onEvent, onMissed } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';

type Device = NonNullable<Reply<'GET /api/connections/:id'>['device']>;

/** Nothing where nobody is known to have had the address. */
export function DeviceNote({ device }: { device: Device | null }) {
  return device && <KnownDeviceNote key={device.deviceId} device={device} />;
}

function KnownDeviceNote({ device: { deviceId, name, mac } }: { device: Device }) {
  const t = words.value;
  const { value, error, again } = useLoaded(deviceId, (signal) => ask('GET /api/notes', {}, signal));
  useEffect(() => {
    const ends = [onEvent('notes-update', again), onMissed(again)];
    return () => {
      for (const end of ends) {
        end();
      }
    };
  }, []);
  return (
    <Fact name={t.note}>
      {error ? (
        <span class="problem">
          {t.noteFailed}{' '}
          <button type="button" class="quiet" onClick={again}>
            {text.value.again}
          </button>
        </span>
      ) : null}
      {value ? (
        <NoteEditor
          device={{ deviceId, note: value.notes[deviceId] ?? null }}
          name={name ?? mac ?? deviceId}
          saved={again}
        />
      ) : null}
    </Fact>
  );
}
