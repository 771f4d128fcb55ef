// Whether live updates are on, a way to pause them, and what waits meanwhile.
import { isPaused, live, pauseLive, resumeLive, waitingNew } from '../state/live.ts';
import { endRangeNow } from '../state/range.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function LiveDot() {
  const t = text.value;
  const state = isPaused.value ? 'paused' : live.value;
  const { count, isLeast } = waitingNew.value;
  const toggle = () => {
    if (isPaused.value) {
      resumeLive();
      endRangeNow();
    } else {
      pauseLive();
    }
  };
  return (
    <div class="live-updates">
      <span class={`live ${state}`} role="status">
        {isPaused.value && count > 0 ? t.waiting(number(count), isLeast) : t.live[state]}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={isPaused.value ? t.pause.goLabel : t.pause.stopLabel}
        onClick={toggle}
      >
        {isPaused.value ? t.pause.go : t.pause.stop}
      </button>
    </div>
  );
}
