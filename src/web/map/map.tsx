// The page "Map": which device connects to which destination, as lanes, as a graph or on a world map.
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { describeJudged } from '../parts/judged.ts';
import { Link } from '../parts/link.tsx';
import { NoRows } from '../parts/no-rows.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { isolateName } from '../parts/outside.ts';
import { onEvent } from '../state/live.ts';
import { useAsked } from '../state/loaded.ts';
import { describePeriod, deviceHref, range, rangeQuery } from '../state/range.ts';
import { useTitle } from '../state/title.ts';
import { hrefTo, hrefWith, navigate } from '../state/url.ts';
import { country as countryName, number, percent } from '../text/format.ts';
import { words } from '../text/map/words.ts';
import { text } from '../text/text.ts';
import { type Summary, toDevices } from './flows.ts';
import { Graph } from './graph.tsx';
import { Lanes } from './lanes.tsx';
import {
  hrefDeselecting,
  hrefSelectingNothing,
  type Kind,
  kinds,
  logHref,
  selection,
  view,
  views,
} from './selection.ts';
import { World } from './world.tsx';

const pictures = { lanes: Lanes, graph: Graph, world: World };

export function MapPlace() {
  const { device: src, target, country } = selection.value;
  // The map shows totals only: one time bucket is enough.
  const query = { ...rangeQuery.value, src, target, country, buckets: '1' };
  const loaded = useAsked('GET /api/connections/summary', { query });
  const { value: summary, error, isStale } = loaded;
  const isEmpty = summary?.total === 0;
  // An empty view is loaded again with the first connection, not only once a minute.
  useEffect(() => (isEmpty ? onEvent('connections-update', loaded.reload) : undefined), [isEmpty]);
  useLayoutEffect(clearSelectionOnEscape, []);
  useTitle(view.value === 'lanes' ? null : words.value[view.value]);
  const Picture = pictures[view.value];
  return (
    <div class="map">
      <Head summary={summary} />
      <SelectionChips summary={summary} />
      <Failure error={error} reload={loaded.reload} />
      {summary === null && error === null ? <p class="note">{text.value.loading}</p> : null}
      {isEmpty ? <EmptyMap /> : null}
      {summary && !isEmpty ? (
        <div class={isStale ? 'dimmed' : ''} aria-busy={isStale}>
          <MissingData summary={summary} />
          <Picture summary={summary} />
        </div>
      ) : null}
    </div>
  );
}

function Head({ summary }: { summary: Summary | null }) {
  const t = text.value;
  const w = words.value;
  return (
    <header>
      <h1>{t.places.map}</h1>
      <p role="status">
        {describePeriod(range.value)}
        {summary === null ? null : (
          <>
            {': '}
            <Link to={logHref() ?? hrefTo('connections')}>{w.total(summary.total, number(summary.total))}</Link>
          </>
        )}
      </p>
      <nav class="ranges" aria-label={w.views}>
        {views.value.map((name) => (
          <Link
            key={name}
            to={hrefWith({ view: name === 'lanes' ? null : name })}
            aria-current={name === view.value ? 'true' : undefined}
          >
            {w[name]}
          </Link>
        ))}
      </nav>
    </header>
  );
}

/** The selection as chips that can be removed. Escape removes all of them. */
function SelectionChips({ summary }: { summary: Summary | null }) {
  const w = words.value;
  const picked = kinds.flatMap((kind) => {
    const value = selection.value[kind];
    return value === undefined ? [] : [{ kind, value, name: selectionName(kind, value, summary) }];
  });
  return (
    <section class="filters" aria-label={w.selection}>
      {picked.map(({ kind, value, name }) => (
        <span class="chip" key={kind}>
          <span class="map-name">
            {w[kind]}: {kind === 'device' ? <Link to={deviceHref(value)}>{name}</Link> : <bdi>{name}</bdi>}
          </span>
          <Link class="quiet" to={hrefDeselecting(kind)}>
            <span aria-hidden="true">×</span>
            <span class="spoken">{w.remove(w[kind], isolateName(name))}</span>
          </Link>
        </span>
      ))}
      {picked.length > 0 ? (
        <button type="button" onClick={() => navigate(hrefSelectingNothing())}>
          {w.clear}
        </button>
      ) : null}
    </section>
  );
}

function selectionName(kind: Kind, value: string, summary: Summary | null): string {
  if (kind === 'country') {
    return countryName(value);
  }
  const device = kind === 'device' && summary ? toDevices(summary).find(({ key }) => key === value) : undefined;
  return device?.name ?? value;
}

/** Says how much of the period the routers were read, and whether threat lists are missing. */
function MissingData({ summary }: { summary: Summary }) {
  const t = text.value;
  const w = words.value;
  const { coverage, judged } = summary;
  return (
    <p class="map-limits">
      {coverage.message === null || coverage.share === null || coverage.share === 1
        ? null
        : `${t.observedOf(percent(coverage.share))} `}
      {judged === 'full' ? null : (
        <>
          {describeJudged(summary)} <strong>{judged === 'none' ? w.unjudged : w.partlyJudged}</strong>
        </>
      )}
    </p>
  );
}

function EmptyMap() {
  const w = words.value;
  return Object.keys(selection.value).length > 0 ? (
    <Note title={w.noneSelected} help={w.noneSelectedHelp} />
  ) : (
    <NoRows title={text.value.sentence.noRows} help={text.value.noMatchHelp} />
  );
}

function clearSelectionOnEscape(): () => void {
  const onKey = ({ key, target, defaultPrevented }: KeyboardEvent) => {
    const usesEscape = target instanceof HTMLElement && target.closest('input, select, textarea, dialog, details');
    if (key === 'Escape' && !defaultPrevented && !usesEscape && Object.keys(selection.value).length > 0) {
      navigate(hrefSelectingNothing());
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
