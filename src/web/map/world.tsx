// The world map: countries coloured by connections, and known places. The outlines are a separate file.
import world from 'virtual:world-map';
import type { ThreatLevel } from '#contract/model.ts';
import { Failure } from '../parts/note.tsx';
import { useLoaded } from '../state/loaded.ts';
import { hrefWith, navigate } from '../state/url.ts';
import { country as countryName, joinWords, number, percent } from '../text/format.ts';
import { words } from '../text/map/words.ts';
import { text } from '../text/text.ts';
import { equalEarth } from './equal-earth.ts';
import { Figure, FigureTable, Pick } from './figure.tsx';
import type { Summary } from './flows.ts';
import { Legend } from './legend.tsx';
import { Mark } from './mark.tsx';
import { fetchOutlines, type Outlines } from './outlines.ts';
import { opacityOf, Scale } from './scale.tsx';
import { hrefSelecting, logHref } from './selection.ts';

export function World({ summary }: { summary: Summary }) {
  const w = words.value;
  const loaded = useLoaded('world', (signal) => fetchOutlines(world, signal));
  const { byCountry, total, mapCoverage } = summary;
  const known = byCountry.filter(({ country }) => country !== null);
  const unknown = byCountry.find(({ country }) => country === null)?.count ?? 0;
  const hasPlaces = mapCoverage.totalSessions > 0;
  const placeless = total - mapCoverage.totalSessions;
  const drawn = new Set(loaded.value?.countries.map(([code]) => code));
  const missing = known.flatMap(({ country }) => (country && !drawn.has(country) ? [countryName(country)] : []));
  return (
    <>
      <section class="card" aria-label={w.world}>
        <Failure error={loaded.error} reload={loaded.reload} />
        {loaded.value ? (
          <Outline outlines={loaded.value} summary={summary} />
        ) : (
          <p class="note world-place">{text.value.loading}</p>
        )}
        <p>
          {w.legendMore} {missing.length > 0 && loaded.value ? w.notDrawn(joinWords(missing)) : null}
        </p>
        <Scale most={findMost(summary)} />
        {unknown > 0 ? (
          <p class="placeless">
            <Figure count={unknown} to={logHref({ unknown: 'country' })} /> {w.noCountry(percent(unknown / total))}
          </p>
        ) : null}
        {hasPlaces && placeless > 0 ? (
          <p class="placeless">
            <Figure count={placeless} to={logHref({ unknown: 'place' })} /> {w.noPlace(percent(placeless / total))}
          </p>
        ) : null}
        {mapCoverage.capped ? (
          <p>{w.placesCut(number(mapCoverage.shownGroups), number(mapCoverage.totalGroups))}</p>
        ) : null}
        <Legend kinds={hasPlaces ? ['danger', 'warn', 'place'] : ['danger', 'warn']} />
      </section>
      <FigureTable
        caption={w.tableOf.world}
        columns={[w.country]}
        rows={byCountry.map(({ country, count, level, lastSeen }) => ({
          key: country ?? '',
          names: [
            country === null ? (
              w.unknownCountry
            ) : (
              <Pick key="c" name={countryName(country)} more={country} to={hrefSelecting('country', country)} />
            ),
          ],
          count,
          level,
          lastSeen,
          to: logHref(country === null ? { unknown: 'country' } : { country }),
        }))}
        all={byCountry.length}
        isUnjudged={summary.judged === 'none'}
      />
    </>
  );
}

/** Connections of the country that has the most. */
const findMost = ({ byCountry }: Pick<Summary, 'byCountry'>): number =>
  Math.max(1, ...byCountry.flatMap(({ country, count }) => (country === null ? [] : count)));

/** Share of the picture that is shown: the rest, in the south, is Antarctica. */
const inhabited = 0.9;

function Outline({ outlines, summary: { byCountry, byLocation } }: { outlines: Outlines; summary: Summary }) {
  const known = new Map(byCountry.map((one) => [one.country, one]));
  const most = findMost({ byCountry });
  const marks = outlines.countries.flatMap(([code, x, y]): { x: number; y: number; level: ThreatLevel }[] => {
    const level = code === null ? undefined : known.get(code)?.level;
    return level === undefined || level === 'safe' ? [] : [{ x, y, level }];
  });
  const places = new Map(
    byLocation.map(({ lat, lon, city, country }) => [`${lat} ${lon}`, { lat, lon, city, country }]),
  );
  return (
    <svg
      class="world"
      viewBox={`0 0 ${outlines.width} ${outlines.height * inhabited}`}
      role="img"
      aria-label={words.value.worldLabel(number(byCountry.filter(({ country }) => country !== null).length))}
    >
      {outlines.countries.map(([code, x, y, outline], at) => {
        const count = (code !== null && known.get(code)?.count) || 0;
        const look = {
          class: count > 0 ? 'country reached' : 'country',
          ...(count > 0 ? { 'fill-opacity': opacityOf(count, most) } : {}),
          ...(count > 0 && code !== null ? { onClick: () => navigate(hrefWith({ country: code })) } : {}),
        };
        const title = code === null ? null : <title>{`${countryName(code)}: ${number(count)}`}</title>;
        const key = code ?? at;
        if (outline === '') {
          return count > 0 ? (
            <circle key={key} cx={x} cy={y} r={4} {...look}>
              {title}
            </circle>
          ) : null;
        }
        return (
          <path key={key} d={outline} {...look}>
            {title}
          </path>
        );
      })}
      {[...places].map(([key, place]) => {
        const [x, y] = equalEarth(place, outlines);
        return (
          <circle key={key} class="place" cx={x} cy={y} r={3}>
            <title>{[place.city, place.country && countryName(place.country)].filter(Boolean).join(', ')}</title>
          </circle>
        );
      })}
      {marks.map(({ x, y, level }) => (level === 'safe' ? null : <Mark key={`${x} ${y}`} level={level} x={x} y={y} />))}
    </svg>
  );
}
