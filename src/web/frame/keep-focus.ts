// The focus stays near where it was when the page removes, hides or disables what had it, so that Tab goes on from there.
import { after } from '../clock.ts';

/** Parts with a name, which a screen reader says when they get the focus. */
const parts = 'section[aria-label], section[aria-labelledby], fieldset, dialog, main';

/** Views that move the focus themselves have done so by then. */
const settleMs = 50;

const isShown = (element: HTMLElement) => element.isConnected && element.checkVisibility();

/** The returned function stops it. */
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
      // Without effect as long as it is disabled.
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
  // A click on something that takes no focus leaves it nowhere on purpose.
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

/** The innermost first. */
function listAncestors(element: HTMLElement | null): HTMLElement[] {
  const parent = element?.parentElement ?? null;
  return parent === null ? [] : [parent, ...listAncestors(parent)];
}
