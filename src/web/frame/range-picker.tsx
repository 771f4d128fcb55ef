// The period of all places.
import { Link } from '../parts/link.tsx';
import { type RangeName, range, ranges } from '../state/range.ts';
import { withParameters } from '../state/url.ts';
import { dateTime } from '../text/format.ts';
import { text } from '../text/text.ts';

export function RangePicker() {
  const t = text.value;
  const { name, from, to } = range.value;
  return (
    <nav class="ranges" aria-label={t.range.label}>
      {(Object.keys(ranges) as RangeName[]).map((one) => (
        <Link
          key={one}
          to={withParameters({ range: one, from: null, to: null })}
          {...(one === name ? { 'aria-current': 'true' } : {})}
        >
          {t.range[one]}
        </Link>
      ))}
      {name === null ? <span aria-current="true">{t.rangeOwn(dateTime(from), dateTime(to))}</span> : null}
    </nav>
  );
}
