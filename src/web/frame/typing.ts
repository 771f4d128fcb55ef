// Where keys are text: shortcuts are off in fields and while a dialog is open.

/** Whether the key belongs to a text field or to a dialog. Shortcuts of the page are off then. */
export function isTypingOrDialog({ target, isComposing }: KeyboardEvent): boolean {
  // A field in a closed dialog keeps the focus until the dialog is removed: it does not count.
  const isField =
    target instanceof HTMLElement &&
    (target.matches('input:not([type=checkbox]), select, textarea') || target.isContentEditable) &&
    target.closest('dialog:not([open])') === null;
  return isField || isComposing || document.querySelector('dialog:modal') !== null;
}
