// A panel at the side of a view, or over it on a phone. Escape closes it, and the focus returns.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isKey } from '../frame/keys.ts';
import { useTitle } from '../state/title.ts';
import { text } from '../text/text.ts';
import { Icon } from './icon.tsx';
import { useOutsideClick } from './outside-click.ts';

interface Props {
  label: string;
  close: () => void;
  closesOutside?: boolean;
  children: ComponentChildren;
}

export function Drawer({ label, close, closesOutside = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useTitle(label);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.show();
    dialog.current?.focus();
    return () => {
      if (before instanceof HTMLElement) {
        before.focus();
      }
    };
  }, []);
  useOutsideClick(dialog, closesOutside ? close : null);
  const onKey = (event: KeyboardEvent) => {
    if (isKey('close', event)) {
      event.preventDefault();
      close();
    }
  };
  return (
    <dialog ref={dialog} class="drawer" aria-label={label} tabIndex={-1} onKeyDown={onKey}>
      <button type="button" class="quiet drawer-close" onClick={close}>
        <Icon name="close" />
        {text.value.close}
      </button>
      {children}
    </dialog>
  );
}
