// Whether a key press is a shortcut: not in a text field, and not while a dialog is open.

export function isTypingOrDialog({ target, isComposing }: KeyboardEvent): boolean {
  // A field in a closed dialog keeps the focus until the dialog is removed: it does not count.
  const isField =
    target instanceof HTMLElement &&
    (target.matches('input:not([type=checkbox]), select, textarea') || target.isContentEditable) &&
    target.closest('dialog:not([open])') === null;
  return isField || isComposing || document.querySelector('dialog:modal') !== null;
}
