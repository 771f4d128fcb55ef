// The log of connections: filters, table, and the details of one row.
import { useEffect, useState } from 'preact/hooks';
import { NoRows } from '../parts/no-rows.tsx';
import { Failure } from '../parts/note.tsx';
import { hasFilterRow } from '../state/preferences.ts';
import { describePeriod, endRangeNow, range } from '../state/range.ts';
import { query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import { ColumnChooser } from './column-chooser.tsx';
import { ConnectionDrawer } from './connection-drawer.tsx';
import { Export } from './export.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filters, toParameters } from './filters.ts';
import { type Fresh, useFresh } from './fresh.ts';
import { LogTable } from './log-table.tsx';
import { usePages } from './pages.ts';
import { PrintButton, PrintedAbout } from './print-rows.tsx';
import { ViewName, ViewsMenu } from './views-menu.tsx';

export function Connections() {
  const t = text.value;
  const [period, setPeriod] = useState(range.value);
  const { name, from, to } = range.value;
  // The end of the period moves once a minute. The rows shown stay until the user asks for new ones.
  const isOther = period.name !== name || (name === null && (period.from !== from || period.to !== to));
  const shown = isOther ? range.value : period;
  useEffect(() => setPeriod(shown), [shown]);
  const fresh = useFresh(shown.to);
  const filter = { ...toParameters(filters.value), from: String(shown.from), to: String(shown.to) };
  const sort = query.value.get('sort') ?? 'lastSeen';
  const order = { sort, sortDir: query.value.get('sortDir') ?? 'desc' };
  const pages = usePages({ ...filter, ...order, ...(shown.name === null ? { include: 'lastInRange' } : {}) });
  const open = query.value.get('open');
  const { total, error } = pages;
  return (
    <div class="connections">
      <header>
        <h1 aria-live="polite">{total === null ? t.loading : t.connectionsTitle(total, number(total))}</h1>
        <p>
          {describePeriod(range.value)}
          {fresh.added + fresh.seenAgain > 0 && name !== null ? (
            <button
              type="button"
              class="chip add"
              onClick={() => {
                endRangeNow();
                setPeriod(range.value);
              }}
            >
              {describeFresh(fresh, filters.value.length > 0)}
            </button>
          ) : null}
        </p>
        <ViewName />
        <PrintedAbout pages={pages} period={shown} />
        <div class="log-tools">
          <button
            type="button"
            aria-expanded={hasFilterRow.value}
            onClick={() => {
              hasFilterRow.value = !hasFilterRow.value;
            }}
          >
            {words.value.filterRow}
          </button>
          <ViewsMenu />
          <ColumnChooser />
          <PrintButton pages={pages} />
          <Export query={filter} />
        </div>
      </header>
      <FilterBar />
      <Failure error={error} reload={pages.reload} />
      {total === 0 ? <NoRows title={t.noMatch} help={t.noMatchHelp} /> : null}
      {total !== null && (total > 0 || hasFilterRow.value) ? (
        <LogTable pages={pages} total={total} isDimmed={pages.isStale} />
      ) : null}
      {open === null ? null : <ConnectionDrawer key={open} id={open} />}
    </div>
  );
}

/** `3 new, at least 500 seen again: show`. */
function describeFresh({ added, seenAgain, isLeast }: Fresh, hasFilters: boolean): string {
  const w = words.value.fresh;
  const count = (value: number) => (isLeast ? w.atLeast(number(value)) : number(value));
  const parts = [
    ...(added > 0 ? [w.added(count(added))] : []),
    ...(seenAgain > 0 ? [w.seenAgain(count(seenAgain))] : []),
  ];
  return w.show(parts.join(w.and), hasFilters);
}
