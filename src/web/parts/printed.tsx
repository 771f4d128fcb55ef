// What only paper has: when the page was printed.
import { now } from '../clock.ts';
import { isPrinting } from '../state/printing.ts';
import { fullDate } from '../text/format.ts';
import { text } from '../text/text.ts';

/** Renders nothing on a screen. */
export function PrintedAt() {
  return isPrinting.value ? <p class="empty">{text.value.printedAt(fullDate(now()))}</p> : null;
}
