// Whether changes come by themselves.
import { live } from '../state/live.ts';
import { range } from '../state/range.ts';
import { age } from '../text/format.ts';
import { text } from '../text/text.ts';

export function LiveDot() {
  const t = text.value;
  const { state, lastAt } = live.value;
  // The age is written anew with each minute of the period.
  void range.value;
  return (
    <span class={`live ${state}`} role="status">
      {state === 'on' ? t.live.on(age(lastAt ?? 0)) : t.live[state]}
    </span>
  );
}
