// A dialog over the page: Escape or its button closes it, and the browser gives the focus back.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useTitle } from '../state/title.ts';
import { text } from '../text/text.ts';
import { Icon } from './icon.tsx';
import { useOutsideClick } from './outside-click.ts';

interface Props {
  title: string;
  kind: string;
  close: () => void;
  /** A click beside it closes it: it holds nothing that would be lost. */
  closesOutside?: boolean;
  children: ComponentChildren;
}

export function Modal({ title, kind, close, closesOutside = false, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  useTitle(title);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Only a dialog that is closed returns the focus. Nobody closes it when the page takes it away.
    return () => {
      isShown.current = false;
      shown?.close();
    };
  }, []);
  useOutsideClick(dialog, closesOutside ? () => dialog.current?.close() : null);
  return (
    <dialog ref={dialog} class={`modal ${kind}`} aria-labelledby={id} onClose={() => isShown.current && close()}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet drawer-close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
          {text.value.close}
        </button>
      </div>
      {children}
    </dialog>
  );
}
