// How much of the period the routers were read, and what is missing.
import { BlindSpots, listBlindSpots } from '../parts/blind-spots.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { describeCoverage } from '../parts/observed-words.ts';
import { isolateName } from '../parts/outside.ts';
import { useAsked } from '../state/loaded.ts';
import { rangeQuery } from '../state/range.ts';
import { dateTime, number, percent } from '../text/format.ts';
import { describeGap } from '../text/hub/words.ts';
import { text } from '../text/text.ts';
import { closePanel, openPanel, panel } from './panel.ts';

export function CoverageMeter() {
  const t = text.value;
  const { value } = useAsked('GET /api/coverage', { query: { ...rangeQuery.value, buckets: '1' } });
  if (value === null) {
    return null;
  }
  const gaps = value.subjects.flatMap(({ name, gaps: of }) => of.slice(0, 20).map((gap) => ({ name, ...gap })));
  const blind = listBlindSpots(value.subjects);
  return (
    <>
      <button type="button" class="quiet coverage" title={t.observedLabel} onClick={() => openPanel('coverage')}>
        <meter class="bar" aria-hidden="true" min={0} max={1} value={value.share ?? 0} />
        {value.share === null ? t.observedNothing : t.observed(percent(value.share))}
      </button>
      {panel.value === 'coverage' ? (
        <Drawer label={t.observedDetails} close={() => closePanel('coverage')} closesOutside>
          <h2>{t.observedDetails}</h2>
          {value.message === null ? null : <p>{describeCoverage(value.share)}</p>}
          {value.chosen.length === 0 ? null : <p>{t.chosenGaps(value.chosen.length, number(value.chosen.length))}</p>}
          {gaps.length === 0 ? <p>{t.noGaps}</p> : null}
          <ul>
            {gaps.map(({ name, from: since, to: until, ...gap }) => (
              <li key={`${name} ${since}`}>
                {t.gap(isolateName(name), dateTime(since), dateTime(until), describeGap(gap))}
              </li>
            ))}
          </ul>
          {blind.length === 0 ? null : (
            <>
              <h3>{t.cannotSee}</h3>
              <BlindSpots spots={blind} />
            </>
          )}
        </Drawer>
      ) : null}
    </>
  );
}
