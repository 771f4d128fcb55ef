// The focus when something opens in place of a button, when it closes again, and when something has loaded.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Focuses `inner` when it opens and `opener` when it closes, before the next key press. */
export function useOpenFocus<Opener extends HTMLElement, Inner extends HTMLElement>(
  isOpen: boolean,
): { opener: RefObject<Opener | null>; inner: RefObject<Inner | null> } {
  const opener = useRef<Opener>(null);
  const inner = useRef<Inner>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) {
      focusUnlessInMenu(inner.current);
    } else if (wasOpen.current) {
      focusUnlessInMenu(opener.current);
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { opener, inner };
}

/** Focuses what has appeared, unless a menu is open: that would close while the user chooses in it. */
export function focusUnlessInMenu(element: HTMLElement | null | undefined, options: FocusOptions = {}): void {
  if (document.querySelector('details[open] > .menu') === null) {
    element?.focus(options);
  }
}
