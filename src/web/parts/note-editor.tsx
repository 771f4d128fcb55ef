// The note of a device, where it is shown. What was typed stays when it could not be saved.
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { useAction } from '../state/action.ts';
import { useOpenFocus } from '../state/open-focus.ts';
import { may } from '../state/session.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { closeOnEscape } from './escape.ts';
import { loadLater } from './late.tsx';
import { Problem } from './outcome.tsx';
import { isolateName } from './outside.ts';

const DraftBy = loadLater(async () => (await import('../ai/draft-by.tsx')).DraftBy);

/** Most characters that the hub takes. */
const most = 500;

interface Props {
  /** Without `ip`, nothing can be drafted. */
  device: { deviceId: string; note: string | null; ip?: string };
  /** Name of the device, for screen readers. */
  name: string;
  saved: () => void;
}

export function NoteEditor({ device, name, saved }: Props) {
  const t = text.value.devices;
  const [draft, setDraft] = useState<string | null>(null);
  const action = useAction();
  const { opener, inner: field } = useOpenFocus<HTMLButtonElement, HTMLTextAreaElement>(draft !== null);
  const close = () => {
    setDraft(null);
    action.reset();
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { deviceId: device.deviceId, note: draft ?? '' };
    if (await action.run(() => ask('POST /api/notes', { body }))) {
      saved();
      close();
    }
  };
  const { ip = '' } = device;
  const left = most - (draft ?? '').length;
  const mayWrite = may('notes.write');
  const canDraft = /^\d+(?:\.\d+){3}$/.test(ip);
  const add = (found: string) => {
    // The draft is added after what was typed.
    setDraft((typed) => [typed, found].filter(Boolean).join('\n').slice(0, most));
    field.current?.focus();
  };
  const suggest = async () => add((await ask('POST /api/notes/draft', { body: { ip, assistant: false } })).draft);
  if (draft === null) {
    return (
      <div class="device-note">
        {device.note === null ? null : <p dir="auto">{device.note}</p>}
        <button
          type="button"
          class="quiet"
          ref={opener}
          disabled={!mayWrite}
          title={mayWrite ? undefined : text.value.roleMayNot}
          onClick={() => setDraft(device.note ?? '')}
        >
          {device.note === null ? t.noteAdd : t.noteEdit}
          <span class="spoken"> {t.noteOf(isolateName(name))}</span>
        </button>
      </div>
    );
  }
  return (
    <form class="device-note" onSubmit={(event) => void save(event)} onKeyDown={closeOnEscape(close)}>
      <textarea
        ref={field}
        aria-label={t.noteOf(isolateName(name))}
        maxLength={most}
        rows={3}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      {action.error ? <Problem error={action.error} /> : null}
      <p class="actions">
        <button type="submit" class="main" disabled={action.isBusy}>
          {t.noteSave}
        </button>
        {canDraft ? (
          <button
            type="button"
            disabled={action.isBusy}
            title={t.noteDraftHelp}
            onClick={() => void action.run(suggest)}
          >
            {t.noteDraft}
          </button>
        ) : null}
        <button type="button" disabled={action.isBusy} onClick={close}>
          {text.value.cancel}
        </button>
        <small>{t.noteLeft(left, number(left))}</small>
      </p>
      {canDraft && may('ai.run') ? <DraftBy ip={ip} add={add} /> : null}
    </form>
  );
}
