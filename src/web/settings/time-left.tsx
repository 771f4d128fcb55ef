// A countdown until something expires.
import { useEffect, useState } from 'preact/hooks';
import { every, now } from '../clock.ts';
import { duration } from '../text/format.ts';
import { words } from '../text/settings/words.ts';

/** `until`: epoch milliseconds. */
export function TimeLeft({ until }: { until: number }) {
  const [left, setLeft] = useState(until - now());
  useEffect(() => {
    setLeft(until - now());
    return every(1000, () => setLeft(until - now()));
  }, [until]);
  return <strong>{left > 0 ? words.value.timeLeft(duration(left)) : words.value.timeUp}</strong>;
}
