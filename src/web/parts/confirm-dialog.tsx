// A button that asks in a dialog before it does something irreversible. Escape cancels.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../state/action.ts';
import { text } from '../text/text.ts';
import { Outcome } from './outcome.tsx';

interface Props {
  /** Label of the button, and of the button in the dialog. */
  label: string;
  title: string;
  /** What will happen, and what not. */
  children: ComponentChildren;
  /** Rejects with ApiError. */
  act: () => Promise<unknown>;
}

export function ConfirmButton(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {props.label}
      </button>
      {isOpen ? <Question {...props} close={() => setOpen(false)} /> : null}
    </>
  );
}

function Question({ label, title, children, act, close }: Props & { close: () => void }) {
  const t = text.value;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const action = useAction();
  // The browser gives the focus back when it closes a modal dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const go = async () => {
    if (await action.run(act)) {
      dialog.current?.close();
    }
  };
  return (
    <dialog ref={dialog} class="confirm-dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
      <p class="actions">
        <button type="button" class="danger-button" disabled={action.isBusy} onClick={() => void go()}>
          {action.isBusy ? t.busy : label}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t.cancel}
        </button>
      </p>
      <Outcome action={action} />
    </dialog>
  );
}
