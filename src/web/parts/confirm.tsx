// A button that asks before it does something. Why it failed is said there; Escape takes the question back.
import { useState } from 'preact/hooks';
import { useOpenFocus } from '../state/open-focus.ts';
import { text } from '../text/text.ts';
import { Problem } from './problem.tsx';

interface Props {
  label: string;
  question: string;
  /** Rejects with why it was not done. */
  work: () => Promise<void>;
}

export function Confirm({ label, question, work }: Props) {
  const t = text.value;
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { opener, inner: doIt } = useOpenFocus<HTMLButtonElement, HTMLButtonElement>(isAsked);
  const close = () => {
    setAsked(false);
    setError(null);
  };
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      await work();
      close();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  if (!isAsked) {
    return (
      <button type="button" ref={opener} onClick={() => setAsked(true)}>
        {label}
      </button>
    );
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  };
  return (
    <fieldset class="confirm" onKeyDown={onKey}>
      <legend>{question}</legend>
      {error === null ? null : <Problem error={error} />}
      <p class="actions">
        <button type="button" class="main" ref={doIt} disabled={isBusy} onClick={() => void start()}>
          {label}
        </button>
        <button type="button" disabled={isBusy} onClick={close}>
          {t.cancel}
        </button>
      </p>
    </fieldset>
  );
}
