// Counts over a period as a strip. What was not observed is a dashed outline, never zero.
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';

interface Props {
  /** Describes the picture to screen readers. */
  label: string;
  counts: readonly number[];
  /** Share of each part that was observed, 0 to 1; null: the part lies ahead. */
  observed: readonly (number | null)[];
  from: number;
  to: number;
  /** The count of the highest bar. */
  most?: number;
}

export function Strip({ label, counts, observed, from, to, most = Math.max(1, ...counts) }: Props) {
  const startOf = (bucket: number) => from + (bucket * (to - from)) / counts.length;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${counts.length * 10} 30`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {counts.map((count, bucket) => {
        const isUnseen = observed[bucket] === 0 && count === 0;
        const tall = isUnseen ? 26 : count === 0 ? 0 : Math.max(2, (count / most) * 30);
        return observed[bucket] === null ? null : (
          <rect
            key={startOf(bucket)}
            class={isUnseen ? 'unseen' : 'value'}
            x={bucket * 10 + 1}
            y={isUnseen ? 2 : 30 - tall}
            width={8}
            height={tall}
          >
            <title>{`${dateTime(startOf(bucket))}: ${isUnseen ? text.value.dashed : number(count)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
