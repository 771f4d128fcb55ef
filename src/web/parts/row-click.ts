// A click anywhere on a row opens it. The link or the button within the row does the same for the keyboard.

/** What keeps its own meaning within a row. */
const controls = 'a, button, input, select, textarea, label, summary, form';

/** Handlers of a row. A click on a control, and one that ends a selection of text, do not call `open`. */
export function openOnClick(open: (event: MouseEvent) => void): { onClick: (event: MouseEvent) => void } {
  return {
    onClick(event) {
      const isControl = event.target instanceof Element && event.target.closest(controls) !== null;
      if (!isControl && getSelection()?.isCollapsed !== false) {
        open(event);
      }
    },
  };
}
