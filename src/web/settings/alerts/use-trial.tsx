// A trial of the settings of a form before they are saved: its button, and what is shown while it runs.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Outcome } from '../../parts/outcome.tsx';
import { useAction } from '../../state/action.ts';
import { text } from '../../text/text.ts';

/** `ask` gets the values of the form, and a signal that is aborted when the page is left. */
export function useTrial<R>(begin: string, ask: (values: FormData, signal: AbortSignal) => Promise<R>) {
  const action = useAction();
  const [found, setFound] = useState<R | null>(null);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const start = (form: HTMLFormElement | null) => {
    if (form?.reportValidity()) {
      const values = new FormData(form);
      setFound(null);
      void action.run(async () => setFound(await ask(values, left.current.signal)));
    }
  };
  return {
    found,
    button: (
      <button
        type="button"
        disabled={action.isBusy}
        aria-busy={action.isBusy}
        onClick={({ currentTarget }) => start(currentTarget.form)}
      >
        {action.isBusy ? text.value.busy : begin}
      </button>
    ),
    progress: action.isBusy ? <progress aria-label={begin} /> : null,
    outcome: <Outcome action={action} />,
  };
}
