// What this network did in the period, in one sentence, and how far that is known.
import type { Reply } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { range, rangeParameters } from '../state/range.ts';
import { addressIn } from '../state/url.ts';
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { urgent } from './urgent.ts';

interface Props {
  summary: Reply<'GET /api/connections/summary'>;
  detections: Reply<'GET /api/notification-log'>['logs'];
}

export function Sentence({ summary, detections }: Props) {
  const t = text.value;
  const { name, from, to } = range.value;
  const { total, uniqueDevices, uniqueDestinations, byDst, judged, judgedWhy, coverage } = summary;
  const countries = new Set(byDst.flatMap(({ country }) => country ?? [])).size;
  const needing = urgent(detections).length;
  const log = addressIn('connections', rangeParameters.value);
  const period = name === null ? t.rangeOwn(dateTime(from), dateTime(to)) : t.periodNames[name];
  return (
    <header class="sentence">
      {total === 0 ? (
        <h1>{t.sentence.noRows}</h1>
      ) : (
        <h1>
          {t.sentence.devices(uniqueDevices, number(uniqueDevices))} {t.sentence.reached}{' '}
          <Link to={log}>{t.sentence.destinations(uniqueDestinations, number(uniqueDestinations))}</Link>{' '}
          {t.sentence.inCountries(countries, number(countries), uniqueDestinations > byDst.length)}.{' '}
          <strong>{verdict(needing, judged)}</strong>
        </h1>
      )}
      <p>
        {period}. {coverage.message === null ? null : <>{coverage.message}. </>}
        {t.judged[judged]} {judgedWhy?.message}
      </p>
    </header>
  );
}

/** Nothing found says nothing while nobody looked. */
function verdict(needing: number, judged: 'full' | 'partial' | 'none'): string {
  const t = text.value.sentence;
  if (needing > 0) {
    return t.needLook(needing, number(needing));
  }
  return judged === 'none' ? t.nothingJudged : t.nothing;
}
