// How many alerts need a look, next to the name of the place that has them.
import { askAlerts, useAlerts } from '../state/alerts.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

/** How many alerts need a look; 0 before the first answer. */
export function useUrgentAlerts(): number {
  return useAlerts('urgent', (signal) => askAlerts({ limit: '1' }, signal)).value?.urgent ?? 0;
}

export function AlertBadge({ count }: { count: number }) {
  return count === 0 ? null : (
    <span class="badge">
      {number(count)}
      <span class="spoken"> {text.value.alerts.badge(count)}</span>
    </span>
  );
}
