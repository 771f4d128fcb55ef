// The period of all places.
import { loadLater } from '../parts/late.tsx';
import { Link } from '../parts/link.tsx';
import { describePeriod, type RangeName, range, ranges } from '../state/range.ts';
import { hrefWith } from '../state/url.ts';
import { text } from '../text/text.ts';
import { openPanel, panel } from './panel.ts';

const CustomRange = loadLater(async () => (await import('./custom-range.tsx')).CustomRange);

export function RangePicker() {
  const t = text.value;
  const { name } = range.value;
  return (
    <nav class="ranges" aria-label={t.range.label}>
      {(Object.keys(ranges) as RangeName[]).map((one) => (
        <Link
          key={one}
          to={hrefWith({ range: one, back: null, from: null, to: null })}
          aria-current={one === name ? 'true' : undefined}
        >
          {t.range[one]}
        </Link>
      ))}
      <button
        type="button"
        class="quiet"
        aria-haspopup="dialog"
        aria-current={name === null ? 'true' : undefined}
        onClick={() => openPanel('period')}
      >
        {name === null ? describePeriod(range.value) : t.rangeCustom}
      </button>
      {panel.value === 'period' ? <CustomRange /> : null}
    </nav>
  );
}
