// Escape closes the innermost thing that is open.

/** A key listener for the element that `close` closes. */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  };
}
