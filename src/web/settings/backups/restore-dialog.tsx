// Asks before a backup is restored, shows how far it is, and says why it failed.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Reply } from '../../api/client.ts';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { keepPage } from '../../state/session.ts';
import { dateTime } from '../../text/format.ts';
import { words } from '../../text/restore/words.ts';
import { text } from '../../text/text.ts';
import { describeRestoreProblem } from './restore-problem.ts';
import { RestoreProgress } from './restore-progress.tsx';

export type Answer = Reply<'POST /api/backup/restore'>;

export interface Restored extends Answer {
  /** When the backup was made. */
  at: number;
}

interface Props {
  at: number;
  /** Bytes of the file that is sent; null when the backup is in the hub. */
  size: number | null;
  /** `report` takes the share of the file that was sent. Rejects with ApiError, or with the reason of `signal`. */
  start: (report: (share: number) => void, signal: AbortSignal) => Promise<Answer>;
  restored: (result: Restored) => void;
}

export function RestoreButton(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.value.restore}
      </button>
      {isOpen ? <RestoreDialog {...props} close={() => setOpen(false)} /> : null}
    </>
  );
}

function RestoreDialog({ at, size, start, restored, close }: Props & { close: () => void }) {
  const t = words.value;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const stop = useRef(new AbortController());
  const action = useAction();
  const [given, setGiven] = useState('');
  const [share, setShare] = useState(0);
  const isSending = size !== null && share < 1;
  const mayClose = !action.isBusy || isSending;
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => () => stop.current.abort(), []);
  const work = async () => {
    // The sessions end before the answer comes.
    const release = keepPage();
    try {
      restored({ ...(await start(setShare, stop.current.signal)), at });
    } finally {
      release();
    }
  };
  const run = async () => {
    setShare(0);
    await action.run(work);
  };
  return (
    <dialog
      ref={dialog}
      class="confirm-dialog"
      aria-labelledby={id}
      onClose={close}
      onCancel={(event) => mayClose || event.preventDefault()}
    >
      <h2 id={id}>{t.title(dateTime(at))}</h2>
      <p>{t.help(dateTime(at))}</p>
      <div class="field">
        <label for={`${id}-word`}>{t.typeWord(t.word)}</label>
        <input
          id={`${id}-word`}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          disabled={action.isBusy}
          onInput={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      </div>
      {action.isBusy ? <RestoreProgress label={t.restore} size={size} share={share} working={t.restoring} /> : null}
      <p class="actions">
        <button
          type="button"
          class="danger-button"
          disabled={action.isBusy || given.trim().toLowerCase() !== t.word}
          onClick={() => void run()}
        >
          {action.isBusy ? text.value.busy : t.restore}
        </button>
        {mayClose ? (
          <button type="button" onClick={() => dialog.current?.close()}>
            {text.value.cancel}
          </button>
        ) : null}
      </p>
      <Outcome action={action} reason={(error) => describeRestoreProblem(error, !isSending)} />
    </dialog>
  );
}
