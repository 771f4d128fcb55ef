// Counts over a period as a strip. What was not observed is a dashed outline, never zero.
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';

interface Props {
  /** Caption, which also describes the picture to screen readers. */
  label: string;
  counts: readonly number[];
  /** Share of each part that was observed, 0 to 1. */
  observed: readonly number[];
  from: number;
  to: number;
}

export function Strip({ label, counts, observed, from, to }: Props) {
  const t = text.value;
  const most = Math.max(1, ...counts);
  const startOf = (bucket: number) => from + (bucket * (to - from)) / counts.length;
  return (
    <figure class="hours">
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${counts.length * 10} 30`} preserveAspectRatio="none" role="img" aria-label={label}>
        {counts.map((count, bucket) => {
          const isUnseen = observed[bucket] === 0 && count === 0;
          const tall = isUnseen ? 26 : count === 0 ? 0 : Math.max(2, (count / most) * 30);
          return (
            <rect
              key={startOf(bucket)}
              class={isUnseen ? 'unseen' : 'value'}
              x={bucket * 10 + 1}
              y={isUnseen ? 2 : 30 - tall}
              width={8}
              height={tall}
            >
              <title>{`${dateTime(startOf(bucket))}: ${isUnseen ? t.dashed : number(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="axis">
        <span>{dateTime(from)}</span>
        {counts.some((count, bucket) => count === 0 && observed[bucket] === 0) ? <span>{t.dashed}</span> : null}
        <span>{dateTime(to)}</span>
      </p>
    </figure>
  );
}
