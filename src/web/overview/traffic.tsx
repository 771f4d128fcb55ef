// Connections over the period as bars, with what each says. What was not observed is a dashed outline, never zero.
import { useRef } from 'preact/hooks';
import type { Reply } from '../api/client.ts';
import { alertDevice, alertKind } from '../parts/alert-words.ts';
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { dot, isolateName } from '../parts/outside.ts';
import type { Detection } from '../state/alerts.ts';
import { observedShares } from '../state/observed.ts';
import { range, rangeParameters, zoomedFrom } from '../state/range.ts';
import { hrefTo, hrefWith, navigate } from '../state/url.ts';
import { words } from '../text/chart/words.ts';
import { dateTime, duration, joinWords, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { useBrush } from './brush.ts';
import { Chart } from './chart.tsx';
import { describeMarks, listMarked, type Marks, markHref, markLevels, marksBetween, mostMarks } from './marks.ts';

interface Props {
  summary: Reply<'GET /api/connections/summary'>;
  /** Connections of the period before. */
  before: number;
  coverage: Reply<'GET /api/coverage'>;
  marks: Marks;
  isDimmed: boolean;
}

/** Shortest period that the brush selects. */
const shortestMs = 60_000;

export function Traffic({ summary, before, coverage, marks, isDimmed }: Props) {
  const t = text.value;
  const w = words.value;
  const { byBucket, total, from, to } = summary;
  const lengthMs = (to - from) / byBucket.length;
  const startOf = (bar: number) => Math.round(from + bar * lengthMs);
  const observed = observedShares(coverage, byBucket.length);
  const bars = byBucket.map((count, bar) => ({
    start: startOf(bar),
    count,
    marks: marksBetween(marks, startOf(bar), startOf(bar + 1)),
    isUnseen: count === 0 && observed[bar] === 0,
  }));
  const zoom = (first: number, last = first) =>
    navigate(
      hrefWith({
        range: null,
        back: zoomedFrom.value === '24h' ? null : zoomedFrom.value,
        from: startOf(first),
        to: Math.max(startOf(last + 1), startOf(first) + shortestMs),
      }),
    );
  const group = useRef<HTMLDivElement>(null);
  const brush = useBrush(byBucket.length, zoom);
  const describe = (first: number, last: number) => {
    const chosen = bars.slice(first, last + 1);
    const count = chosen.reduce((sum, bar) => sum + bar.count, 0);
    const parts = [
      chosen.every(({ isUnseen }) => isUnseen) ? w.unseen : w.connections(count, number(count)),
      describeMarks(chosen.flatMap((bar) => bar.marks)),
    ];
    const facts = joinWords(parts.filter((part) => part !== null));
    return w.part(dateTime(startOf(first)), dateTime(startOf(last + 1)), facts);
  };
  const difference = total - before;
  return (
    <Card
      title={t.traffic}
      kind="wide"
      isDimmed={isDimmed}
      aside={
        <p class="figure">
          <Link to={hrefTo('connections', rangeParameters.value)}>{number(total)}</Link>
          {dot}
          {difference === 0 ? t.previousSame : t.previous(number(Math.abs(difference)), difference > 0)}
        </p>
      }
    >
      <Chart
        from={from}
        to={to}
        counts={byBucket}
        observed={observed}
        marks={bars.map((bar, index) => {
          const [worst] = bar.marks;
          return worst ? { level: worst.level, to: markHref(worst), label: describe(index, index) } : null;
        })}
        chosen={brush.chosen}
        zoom={zoom}
        wrap={(drawn) => (
          // biome-ignore lint/a11y/useSemanticElements: the bars are no fields of a form.
          <div ref={group} class="brush" role="group" aria-label={w.brush} {...brush.handlers}>
            {drawn}
          </div>
        )}
      />
      <div class="readout">
        <p role="status">{brush.chosen ? `${describe(...brush.chosen)} ${w.hint}` : null}</p>
        {brush.chosen ? null : (
          <p>
            {brush.pointed === null ? w.oneBar(duration(lengthMs, 'long')) : describe(brush.pointed, brush.pointed)}
          </p>
        )}
      </div>
      <div class="chart-foot">
        {markLevels.map((level) =>
          marks.detections.every((one) => one.level !== level) ? null : (
            <span key={level} class={level}>
              <Icon name={level} />
              {w.marks[level]}
            </span>
          ),
        )}
        {marks.isCut ? <span>{w.marksLeft(number(mostMarks))}</span> : null}
        {observed.includes(0) ? <span>{t.dashed}</span> : null}
        {range.value.name === null ? (
          <button
            type="button"
            onClick={() => {
              // The button disappears: the chart gets its focus.
              group.current?.focus();
              navigate(hrefWith({ range: zoomedFrom.value, back: null, from: null, to: null }));
            }}
          >
            {w.back(t.range[zoomedFrom.value])}
          </button>
        ) : null}
      </div>
      <details>
        <summary>{w.asTable}</summary>
        <table class="small">
          <thead>
            <tr>
              {[w.columns.time, w.columns.connections, w.columns.alerts].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ start, count, marks, isUnseen }, bar) => (
              <tr key={start}>
                <th scope="row">
                  <button type="button" class="quiet" onClick={() => zoom(bar)}>
                    {dateTime(start)}
                  </button>
                </th>
                <td>{isUnseen ? w.unseen : number(count)}</td>
                <td>
                  {listMarked(marks).map((one) => (
                    <MarkLink key={one.id} detection={one} />
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Card>
  );
}

function MarkLink({ detection }: { detection: Detection }) {
  const to = markHref(detection);
  const title = `${alertKind(detection.type)}: ${isolateName(detection.dst ?? alertDevice(detection))}`;
  return <p>{to === null ? title : <Link to={to}>{title}</Link>}</p>;
}
