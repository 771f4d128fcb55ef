// What kind of screen the page is on. Both change while the page is open.
import { type ReadonlySignal, signal } from '@preact/signals';

/** Narrower than 720 pixels, as a phone is. */
export const isNarrow = followMedia('(max-width: 719px)');
/** Operated by a finger. */
export const isTouched = followMedia('(pointer: coarse)');

function followMedia(condition: string): ReadonlySignal<boolean> {
  const media = matchMedia(condition);
  const matches = signal(media.matches);
  media.addEventListener('change', (event) => {
    matches.value = event.matches;
  });
  return matches;
}
