// The keys that work in every place, outside of fields and dialogs.
import { rangeParameters } from '../state/range.ts';
import { hrefTo, navigate } from '../state/url.ts';
import { isKey } from './keys.ts';
import type { PanelName } from './panel.ts';
import { places } from './places.ts';
import { isTypingOrDialog } from './typing.ts';

/** Handles search, help, and `g` followed by the letter of a place. The returned function stops it. */
export function listenForKeys(open: (panel: PanelName) => void): () => void {
  let isAsked = false;
  const onKey = (event: KeyboardEvent) => {
    if (isTypingOrDialog(event)) {
      return;
    }
    const what = isKey('search', event) ? 'search' : isKey('help', event) ? 'keys' : null;
    if (what) {
      event.preventDefault();
      open(what);
    }
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
    const found = isAsked && isPlain ? places.find(({ letter }) => letter === event.key) : undefined;
    isAsked = event.key === 'g' && isPlain && !isAsked;
    if (found) {
      // The letter is not also a key of the place.
      event.preventDefault();
      navigate(hrefTo(found.path, rangeParameters.value));
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
