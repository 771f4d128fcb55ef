// Whether live updates are on, with the age of the last one.
import { live } from '../state/live.ts';
import { range } from '../state/range.ts';
import { age } from '../text/format.ts';
import { text } from '../text/text.ts';

export function LiveDot() {
  const t = text.value;
  const { state, lastAt } = live.value;
  // Reading `range` draws the age again once a minute.
  void range.value;
  return (
    <span class={`live ${state}`} role="status">
      {state === 'on' ? t.live.on(age(lastAt ?? 0)) : t.live[state]}
    </span>
  );
}
