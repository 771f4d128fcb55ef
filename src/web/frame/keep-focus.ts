// The focus stays near where it was when the page removes, hides or disables what had it, so that Tab goes on from there.
import { after } from '../clock.ts';

/** Parts with a name, which a screen reader says when they get the focus. */
const parts = 'section[aria-label], section[aria-labelledby], fieldset, dialog, main';

/** Views that move the focus themselves do so within this time. */
const settleMs = 50;

const isShown = (element: HTMLElement) => element.isConnected && element.checkVisibility();

/** Starts to watch the focus of the page. The returned function ends that. */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  let partsAround: readonly HTMLElement[] = [];
  const remember = (target: EventTarget | null) => {
    last = target instanceof HTMLElement ? target : null;
    partsAround = listAncestors(last).filter((one) => one.matches(parts));
  };
  const restore = () => {
    const active = document.activeElement;
    if (last === null || !document.hasFocus() || (active !== document.body && (active !== last || isShown(last)))) {
      return;
    }
    if (isShown(last)) {
      // A disabled element does not take the focus: the next change of the page tries again.
      last.focus({ preventScroll: true });
      return;
    }
    const part = partsAround.find(isShown) ?? document.getElementById('content');
    if (part && !part.hasAttribute('tabindex')) {
      part.tabIndex = -1;
    }
    part?.focus({ preventScroll: true });
  };
  let cancel: (() => void) | null = null;
  const observer = new MutationObserver(() => {
    cancel ??= after(settleMs, () => {
      cancel = null;
      restore();
    });
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'class'],
  });
  const onFocus = ({ target }: FocusEvent) => remember(target);
  // After a click on something that takes no focus, the focus belongs to nothing: that is what the user wanted.
  const onPointer = ({ target }: PointerEvent) =>
    remember(target instanceof Element ? target.closest('a, button, input, select, textarea, summary') : null);
  addEventListener('focusin', onFocus);
  addEventListener('pointerdown', onPointer);
  return () => {
    cancel?.();
    observer.disconnect();
    removeEventListener('focusin', onFocus);
    removeEventListener('pointerdown', onPointer);
  };
}

/** Returns the elements around `element`, the innermost first. */
function listAncestors(element: HTMLElement | null): HTMLElement[] {
  const parent = element?.parentElement ?? null;
  return parent === null ? [] : [parent, ...listAncestors(parent)];
}
