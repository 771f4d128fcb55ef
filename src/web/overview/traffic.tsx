// Connections over the period as bars. What was not observed is a dashed outline, never zero.
import type { Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { observedShares } from '../state/observed.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo, hrefWith, navigate } from '../state/url.ts';
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { useBrush } from './brush.ts';

interface Props {
  summary: Reply<'GET /api/connections/summary'>;
  /** Connections of the period before. */
  before: number;
  coverage: Reply<'GET /api/coverage'>;
  isDimmed: boolean;
}

const height = 120;
const step = 10;
/** Shortest period that the brush selects. */
const shortestMs = 60_000;

export function Traffic({ summary, before, coverage, isDimmed }: Props) {
  const t = text.value;
  const { byBucket, total, from, to } = summary;
  const width = byBucket.length * step;
  const most = Math.max(1, ...byBucket);
  const lengthMs = (to - from) / byBucket.length;
  const startOf = (bucket: number) => Math.round(from + bucket * lengthMs);
  const observed = observedShares(coverage, byBucket.length);
  const zoom = (first: number, last = first) =>
    navigate(
      hrefWith({
        range: null,
        from: startOf(first),
        to: Math.max(startOf(last + 1), startOf(first) + shortestMs),
      }),
    );
  const brush = useBrush(byBucket.length, zoom);
  const [first, last] = brush.chosen ?? [0, -1];
  const difference = total - before;
  return (
    <Card
      title={t.traffic}
      kind="wide"
      isDimmed={isDimmed}
      aside={
        <p class="figure">
          <Link to={hrefTo('connections', rangeParameters.value)}>{number(total)}</Link> ·{' '}
          {difference === 0 ? t.previousSame : t.previous(number(Math.abs(difference)), difference > 0)}
        </p>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the bars are no fields of a form. */}
      <div class="brush" role="group" aria-label={t.brush} {...brush.handlers}>
        <svg
          class="bars"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t.traffic}
        >
          {byBucket.map((count, bucket) => {
            const tall = (count / most) * (height - 4);
            const isSeen = observed[bucket] !== 0;
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table below has the same as buttons.
              <g key={startOf(bucket)} onClick={() => zoom(bucket)}>
                <title>{`${dateTime(startOf(bucket))}: ${isSeen ? number(count) : t.dashed}`}</title>
                <rect class="hit" x={bucket * step} y={0} width={step} height={height} />
                {isSeen || count > 0 ? (
                  <rect class="value" x={bucket * step + 1} y={height - tall} width={step - 2} height={tall} />
                ) : (
                  <rect class="unseen" x={bucket * step + 1} y={2} width={step - 2} height={height - 4} />
                )}
              </g>
            );
          })}
          {brush.chosen ? (
            <rect class="chosen" x={first * step} y={0} width={(last - first + 1) * step} height={height} />
          ) : null}
        </svg>
      </div>
      <p role="status" class="brushed">
        {brush.chosen
          ? t.brushed(
              dateTime(startOf(first)),
              dateTime(startOf(last + 1)),
              number(sumOf(byBucket.slice(first, last + 1))),
            )
          : null}
      </p>
      <p class="axis">
        <span>{dateTime(from)}</span>
        {observed.includes(0) ? <span>{t.dashed}</span> : null}
        <span>{dateTime(to)}</span>
      </p>
      <details>
        <summary>{t.trafficTable}</summary>
        <table class="small">
          <tbody>
            {byBucket.map((count, bucket) => (
              <tr key={startOf(bucket)}>
                <th scope="row">
                  <button type="button" class="quiet" onClick={() => zoom(bucket)}>
                    {dateTime(startOf(bucket))}
                  </button>
                </th>
                <td>{observed[bucket] === 0 && count === 0 ? t.dashed : number(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Card>
  );
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);
