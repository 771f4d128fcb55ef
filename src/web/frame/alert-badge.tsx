// How many detections of the period need a look, next to the name of the place that has them.
import { useEffect, useState } from 'preact/hooks';
import { dismissals, loadAttention } from '../state/attention.ts';
import { onEvent, onMissed } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { range } from '../state/range.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function AlertBadge() {
  const { name, from, to } = range.value;
  const [news, setNews] = useState(0);
  useEffect(() => {
    const look = () => setNews((count) => count + 1);
    const ends = [onEvent('detection', look), onMissed(look)];
    return () => {
      for (const end of ends) {
        end();
      }
    };
  }, []);
  const { value } = useLoaded(`${from} ${to} ${news} ${dismissals.value}`, (signal) =>
    // A period that ends now also has what came since the minute began.
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
