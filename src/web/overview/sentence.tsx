// One sentence about the period, and how much of the period was observed and judged.
import type { Reply } from '../api/client.ts';
import { describeJudged } from '../parts/judged.ts';
import { Link } from '../parts/link.tsx';
import type { AlertPage } from '../state/alerts.ts';
import { describePeriod, range, rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { dayName, number, percent } from '../text/format.ts';
import { describeLongRange } from '../text/hub/words.ts';
import { text } from '../text/text.ts';

export function Sentence({ summary, alerts }: { summary: Reply<'GET /api/connections/summary'>; alerts: AlertPage }) {
  const t = text.value;
  const { total, uniqueDevices, uniqueDestinations, byDst, judged, coverage, longRange } = summary;
  const countries = new Set(byDst.flatMap(({ country }) => country ?? [])).size;
  return (
    <header class="sentence">
      {total === 0 ? (
        <h1>{t.sentence.noRows}</h1>
      ) : (
        <h1>
          <Link to={hrefTo('devices', rangeParameters.value)}>
            {t.sentence.devices(uniqueDevices, number(uniqueDevices))}
          </Link>{' '}
          {t.sentence.reached}{' '}
          <Link to={hrefTo('map', rangeParameters.value)}>
            {t.sentence.destinations(uniqueDestinations, number(uniqueDestinations))}
          </Link>{' '}
          {t.sentence.inCountries(countries, number(countries), uniqueDestinations > byDst.length)}{' '}
          <strong>
            {alerts.urgent > 0 ? (
              <Link to={hrefTo('alerts', rangeParameters.value)}>
                {t.sentence.needLook(alerts.urgent, number(alerts.urgent))}
              </Link>
            ) : (
              describeCalm(judged, alerts)
            )}
          </strong>
        </h1>
      )}
      <p>
        {t.sentence.period(describePeriod(range.value))}{' '}
        {coverage.message === null ? null : <>{describeCoverage(coverage.share)} </>}
        {describeJudged(summary)} {longRange && describeLongRange(longRange)}
      </p>
    </header>
  );
}

/** The coverage meter in the top bar lists the gaps with their reasons. */
function describeCoverage(share: number | null): string {
  const t = text.value;
  return share === null ? t.observedNone : share === 1 ? t.observedPart : t.observedOf(percent(share));
}

/** Without a loaded threat list, it says so: "nothing found" alone would be wrong. */
function describeCalm(judged: 'full' | 'partial' | 'none', { clearSince, handled }: AlertPage): string {
  const t = text.value;
  const isJudged = judged !== 'none';
  return [
    clearSince === null ? isJudged && t.sentence.nothing : t.alerts.allClear(dayName(clearSince)),
    clearSince !== null && handled > 0 && t.alerts.handled(number(handled)),
    !isJudged && t.sentence.nothingJudged,
  ]
    .filter(Boolean)
    .join(' ');
}
