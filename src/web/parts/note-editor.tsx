// The note of a device, where it is shown. What was typed stays when it could not be saved.
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { useOpenFocus } from '../state/open-focus.ts';
import { may } from '../state/session.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { loadLater } from './late.tsx';
import { isolateName } from './outside.ts';
import { Problem } from './problem.tsx';

const DraftBy = loadLater(async () => (await import('../ai/draft-by.tsx')).DraftBy);

/** Characters that the hub takes. */
const most = 500;

interface Props {
  /** `ip` empty or absent: nothing can be drafted. */
  device: { deviceId: string; note: string | null; ip?: string };
  /** Of the device, for who listens. */
  name: string;
  saved: () => void;
}

export function NoteEditor({ device, name, saved }: Props) {
  const t = text.value.devices;
  const [draft, setDraft] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { opener, inner: field } = useOpenFocus<HTMLButtonElement, HTMLTextAreaElement>(draft !== null);
  const close = () => {
    setDraft(null);
    setError(null);
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await ask('POST /api/notes', { body: { deviceId: device.deviceId, note: draft ?? '' } });
      saved();
      close();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const { ip = '' } = device;
  const canDraft = /^\d+(?:\.\d+){3}$/.test(ip);
  const add = (found: string) => {
    // What was typed stays, and stands first.
    setDraft((typed) => [typed, found].filter(Boolean).join('\n').slice(0, most));
    field.current?.focus();
  };
  const suggest = async () => {
    setBusy(true);
    setError(null);
    try {
      add((await ask('POST /api/notes/draft', { body: { ip, assistant: false } })).draft);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  if (draft === null) {
    return (
      <div class="device-note">
        {device.note === null ? null : <p dir="auto">{device.note}</p>}
        {may('notes.write') ? (
          <button type="button" class="quiet" ref={opener} onClick={() => setDraft(device.note ?? '')}>
            {device.note === null ? t.noteAdd : t.noteEdit}
            <span class="spoken"> {t.noteOf(isolateName(name))}</span>
          </button>
        ) : null}
      </div>
    );
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  };
  return (
    <form class="device-note" onSubmit={(event) => void save(event)} onKeyDown={onKey}>
      <textarea
        ref={field}
        aria-label={t.noteOf(isolateName(name))}
        maxLength={most}
        rows={3}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      {error === null ? null : <Problem error={error} />}
      <p class="actions">
        <button type="submit" class="main" disabled={isBusy}>
          {t.noteSave}
        </button>
        {canDraft ? (
          <button type="button" disabled={isBusy} title={t.noteDraftHelp} onClick={() => void suggest()}>
            {t.noteDraft}
          </button>
        ) : null}
        <button type="button" disabled={isBusy} onClick={close}>
          {text.value.cancel}
        </button>
        <small>{t.noteLeft(number(most - draft.length))}</small>
      </p>
      {canDraft && may('ai.run') ? <DraftBy {...{ ip, add }} /> : null}
    </form>
  );
}
