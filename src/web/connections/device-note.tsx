import type { Reply } from '../api/client.ts';
import { Fact } from '../parts/fact.tsx';
import { NoteEditor } from '../parts/note-editor.tsx';
import { useEvents } from '../state/live.ts';
import { useAsked } from '../state/loaded.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';

type Device = NonNullable<Reply<'GET /api/connections/:id'>['device']>;

/** Renders nothing when no device is known for the address. */
export function DeviceNote({ device }: { device: Device | null }) {
  return device && <KnownDeviceNote key={device.deviceId} device={device} />;
}

function KnownDeviceNote({ device: { deviceId, name, mac } }: { device: Device }) {
  const t = words.value;
  const { value, error, reload } = useAsked('GET /api/notes', {});
  useEvents(['notes-update'], reload);
  return (
    <Fact name={t.note}>
      {error ? (
        <span class="problem">
          {t.noteFailed}{' '}
          <button type="button" class="quiet" onClick={reload}>
            {text.value.again}
          </button>
        </span>
      ) : null}
      {value ? (
        <NoteEditor
          device={{ deviceId, note: value.notes[deviceId] ?? null }}
          name={name ?? mac ?? deviceId}
          saved={reload}
        />
      ) : null}
    </Fact>
  );
}
