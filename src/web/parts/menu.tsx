// A button that opens a box of choices, which is made when it is opened. Escape, a click elsewhere and a focus elsewhere close it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { closeOnEscape } from './escape.ts';

interface Props {
  kind: string;
  label: ComponentChildren;
  /** The button looks like one. */
  isButton?: boolean;
  children: ComponentChildren;
}

const focusable = 'a, button, input, select, textarea, summary, [tabindex="0"]';

export function Menu({ kind, label, isButton = false, children }: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => box.current?.removeAttribute('open');
  const returnFocus = () => box.current?.querySelector('summary')?.focus();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const { target } = event;
      if (!box.current?.open || !(target instanceof Element)) {
        return;
      }
      // A click inside may have removed its own button: the way of the event still names the menu.
      if (event.composedPath().includes(box.current)) {
        // A link inside has led elsewhere, perhaps only to another view of the same place.
        if (target.closest('.menu a') !== null) {
          close();
          returnFocus();
        }
        return;
      }
      close();
      // What was clicked keeps the focus if it takes one.
      if (target.closest(focusable) === null) {
        returnFocus();
      }
    };
    addEventListener('click', onClick);
    return () => removeEventListener('click', onClick);
  }, []);
  return (
    <details
      ref={box}
      class={kind}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={closeOnEscape(() => {
        close();
        returnFocus();
      })}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (
          relatedTarget instanceof Element &&
          relatedTarget.matches(focusable) &&
          !currentTarget.contains(relatedTarget)
        ) {
          close();
        }
      }}
    >
      <summary class={isButton ? 'button' : ''}>{label}</summary>
      <div class="menu">{isOpen ? children : null}</div>
    </details>
  );
}
