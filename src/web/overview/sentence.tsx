// One sentence about the period, and how much of the period was observed and judged.
import type { Reply } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { describeCoverage } from '../parts/observed-words.ts';
import type { Cause } from '../state/causes.ts';
import { describePeriod, range, rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

interface Props {
  summary: Reply<'GET /api/connections/summary'>;
  urgent: readonly Cause[];
}

export function Sentence({ summary, urgent }: Props) {
  const t = text.value;
  const { total, uniqueDevices, uniqueDestinations, byDst, judged, judgedWhy, coverage, longRange } = summary;
  const countries = new Set(byDst.flatMap(({ country }) => country ?? [])).size;
  const log = hrefTo('connections', rangeParameters.value);
  return (
    <header class="sentence">
      {total === 0 ? (
        <h1>{t.sentence.noRows}</h1>
      ) : (
        <h1>
          {t.sentence.devices(uniqueDevices, number(uniqueDevices))} {t.sentence.reached}{' '}
          <Link to={log}>{t.sentence.destinations(uniqueDestinations, number(uniqueDestinations))}</Link>{' '}
          {t.sentence.inCountries(countries, number(countries), uniqueDestinations > byDst.length)}.{' '}
          <strong>
            {urgent.length > 0 ? (
              <Link to={hrefTo('alerts', rangeParameters.value)}>
                {t.sentence.needLook(urgent.length, number(urgent.length))}
              </Link>
            ) : (
              describeCalm(judged)
            )}
          </strong>
        </h1>
      )}
      <p>
        {describePeriod(range.value)}. {coverage.message === null ? null : <>{describeCoverage(coverage.share)} </>}
        {t.judged[judged]} {judgedWhy?.message} {longRange?.message}
      </p>
    </header>
  );
}

/** Without a loaded threat list, "nothing found" would be wrong. */
function describeCalm(judged: 'full' | 'partial' | 'none'): string {
  const t = text.value.sentence;
  return judged === 'none' ? t.nothingJudged : t.nothing;
}
