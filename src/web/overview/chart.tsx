// The picture of the chart: bars over lines of round counts, marks of alerts above them, hours and days below.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { day, hourMinute, number } from '../text/format.ts';
import type { Brush } from './brush.ts';
import type { MarkLevel } from './marks.ts';
import { countTicks, isMidnight, timeTicks } from './scale.ts';

export interface Mark {
  /** The most serious level that was detected during the bar. */
  level: MarkLevel;
  /** The URL of the newest alert of this level; null when the alert was deleted. */
  to: string | null;
  label: string;
}

interface Props {
  from: number;
  to: number;
  counts: readonly number[];
  /** Share of each bar that was observed, 0 to 1. */
  observed: readonly number[];
  /** For each bar the mark above it; null where nothing was detected. */
  marks: readonly (Mark | null)[];
  chosen: Brush['chosen'];
  zoom: (bar: number) => void;
  /** Wraps the bars in what can be dragged over. */
  wrap: (bars: ComponentChildren) => ComponentChildren;
}

/** Height of the picture, and width of a bar, in its own units. */
const height = 120;
const step = 10;

const at = (share: number) => `${share * 100}%`;

export function Chart({ from, to, counts, observed, marks, chosen, zoom, wrap }: Props) {
  const ticks = countTicks(Math.max(0, ...counts));
  const most = ticks.at(-1) ?? 1;
  const width = counts.length * step;
  const tallOf = (count: number) => (count / most) * height;
  const [first, last] = chosen ?? [0, -1];
  // A name close to the end would reach beyond the screen.
  const times = timeTicks(from, to - (to - from) / 25);
  // A small screen has room for every third name, of which one is that of a day.
  const named = Math.max(0, times.findIndex(isMidnight)) % 3;
  return (
    <div class="chart">
      <p class="counts" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: at(1 - tick / most) }}>
            {number(tick)}
          </span>
        ))}
      </p>
      <div class="marks">
        {marks.map((mark, bar) =>
          mark === null ? null : (
            <span key={bar} class={mark.level} style={{ left: at((bar + 0.5) / marks.length) }}>
              {mark.to === null ? (
                <Icon name={mark.level} />
              ) : (
                <Link to={mark.to} aria-label={mark.label}>
                  <Icon name={mark.level} />
                </Link>
              )}
            </span>
          ),
        )}
      </div>
      {wrap(
        <svg class="bars" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {ticks.map((tick) => (
            <path key={tick} class="line" d={`M0 ${height - tallOf(tick)}h${width}`} />
          ))}
          {counts.map((count, bar) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table below has the same as buttons.
            <g key={bar} onClick={() => zoom(bar)}>
              <rect class="hit" x={bar * step} y={0} width={step} height={height} />
              {observed[bar] !== 0 || count > 0 ? (
                <rect
                  class="value"
                  x={bar * step + 1}
                  y={height - tallOf(count)}
                  width={step - 2}
                  height={tallOf(count)}
                />
              ) : (
                <rect class="unseen" x={bar * step + 1} y={2} width={step - 2} height={height - 4} />
              )}
            </g>
          ))}
          {chosen ? (
            <rect class="chosen" x={first * step} y={0} width={(last - first + 1) * step} height={height} />
          ) : null}
        </svg>,
      )}
      <p class="times" aria-hidden="true">
        {times.map((tick, index) => (
          <span
            key={tick}
            class={`${isMidnight(tick) ? 'day' : ''} ${index % 3 === named ? '' : 'minor'}`}
            style={{ left: at((tick - from) / (to - from)) }}
          >
            <span>{isMidnight(tick) ? day(tick) : hourMinute(tick)}</span>
          </span>
        ))}
      </p>
    </div>
  );
}
