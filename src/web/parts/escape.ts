// Escape closes the innermost open element.
import { isKey } from '../frame/keys.ts';

/** A listener for `keydown` of the element that `close` closes. */
export function closeOnEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (isKey('close', event)) {
      event.stopPropagation();
      close();
    }
  };
}
