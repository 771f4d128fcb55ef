// Whether live updates are on.
import { live } from '../state/live.ts';
import { text } from '../text/text.ts';

export function LiveDot() {
  const state = live.value;
  return (
    <span class={`live ${state}`} role="status">
      {text.value.live[state]}
    </span>
  );
}
