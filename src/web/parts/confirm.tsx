// A button that asks for confirmation in its place, and says there why it failed. Escape cancels.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { useAction } from '../state/action.ts';
import { useOpenFocus } from '../state/open-focus.ts';
import { text } from '../text/text.ts';
import { closeOnEscape } from './escape.ts';
import { Problem } from './outcome.tsx';

interface Props {
  label: string;
  question: string;
  /** When it rejects, the question stays open and shows the error. */
  work: () => Promise<void>;
  reason?: ((error: ApiError) => ComponentChildren) | undefined;
}

export function Confirm({ label, question, work, reason }: Props) {
  const t = text.value;
  const [isAsked, setAsked] = useState(false);
  const action = useAction();
  const { opener, inner: doIt } = useOpenFocus<HTMLButtonElement, HTMLButtonElement>(isAsked);
  const close = () => {
    setAsked(false);
    action.reset();
  };
  const start = async () => {
    if (await action.run(work)) {
      close();
    }
  };
  if (!isAsked) {
    return (
      <button type="button" ref={opener} onClick={() => setAsked(true)}>
        {label}
      </button>
    );
  }
  return (
    <fieldset class="confirm" onKeyDown={closeOnEscape(close)}>
      <legend>{question}</legend>
      {action.error ? <Problem error={action.error} {...(reason && { reason })} /> : null}
      <p class="actions">
        <button type="button" class="main" ref={doIt} disabled={action.isBusy} onClick={() => void start()}>
          {label}
        </button>
        <button type="button" disabled={action.isBusy} onClick={close}>
          {t.cancel}
        </button>
      </p>
    </fieldset>
  );
}
