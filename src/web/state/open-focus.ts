// Where the keys go when something opens in the place of the button that was pressed, and when it closes again.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** `inner` has the focus as soon as it is open, `opener` as soon as it is not any more: before another key can be pressed. */
export function useOpenFocus<Opener extends HTMLElement, Inner extends HTMLElement>(
  isOpen: boolean,
): { opener: RefObject<Opener | null>; inner: RefObject<Inner | null> } {
  const [opener, inner, wasOpen] = [useRef<Opener>(null), useRef<Inner>(null), useRef(false)];
  useLayoutEffect(() => {
    if (isOpen) {
      inner.current?.focus();
    } else if (wasOpen.current) {
      opener.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { opener, inner };
}
