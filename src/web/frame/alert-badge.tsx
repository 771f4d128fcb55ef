// How many detections of the period need a look, next to the name of the place that has them.
import { useState } from 'preact/hooks';
import { dismissals, loadAttention } from '../state/attention.ts';
import { useEvents } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { range } from '../state/range.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function AlertBadge() {
  const { name, from, to } = range.value;
  const [news, setNews] = useState(0);
  useEvents(['detection'], () => setNews((count) => count + 1));
  const { value } = useLoaded(`${from} ${to} ${news} ${dismissals.value}`, (signal) =>
    // A period that ends now is asked without its end: `to` moves only once a minute.
    loadAttention({ from: String(from), ...(name === null ? { to: String(to) } : {}) }, signal),
  );
  const count = value?.urgent.length ?? 0;
  if (count === 0) {
    return null;
  }
  return (
    <span class="badge">
      {number(count)}
      {value?.isTruncated ? '+' : ''}
      <span class="spoken"> {text.value.alerts.badge(count)}</span>
    </span>
  );
}
