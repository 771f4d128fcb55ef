// Whether the page is being printed. Views then show what paper needs, such as dates in place of ages.
import { signal } from '@preact/signals';

export const isPrinting = signal(false);
addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});

/** Opens the print dialog of the browser. */
export function printPage(): void {
  // `print` takes the page as it is drawn. A change at its event `beforeprint` would come too late.
  isPrinting.value = true;
  requestAnimationFrame(() => print());
}
