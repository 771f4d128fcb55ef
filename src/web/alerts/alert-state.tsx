// The state of an alert, since when, and why.
import type { Alert } from '../state/alerts.ts';
import { words } from '../text/alerts/words.ts';
import { dateTime, when } from '../text/format.ts';
import { text } from '../text/text.ts';

export function AlertState({ alert: { state, since, note, until } }: { alert: Alert }) {
  const t = words.value;
  const name =
    state === 'muted'
      ? until === null
        ? t.mutedForGood
        : t.mutedUntil(dateTime(until))
      : t.since(text.value.alerts.states[state], when(since));
  return (
    <p class="alert-state">
      <span class={`state-name ${state}`}>{name}</span>
      {note === null ? null : <q dir="auto">{note}</q>}
    </p>
  );
}
