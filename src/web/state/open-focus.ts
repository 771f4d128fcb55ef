// The focus when something opens in place of a button, and when it closes again.
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
      inner.current?.focus();
    } else if (wasOpen.current) {
      opener.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return { opener, inner };
}
