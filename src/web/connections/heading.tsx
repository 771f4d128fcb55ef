// The heading of a column, which sorts by it where the API can.
import { isNarrow } from '../state/screen.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { text } from '../text/text.ts';
import { ColumnEdge } from './column-edge.tsx';
import { type Column, columnTitle, isSeenInPeriod } from './columns.ts';

export function Heading({ column: { name, sort } }: { column: Column }) {
  const t = text.value;
  const isAscending = query.value.get('sortDir') === 'asc';
  const title = columnTitle(name);
  if (sort === undefined) {
    return (
      <th scope="col" class={name} aria-label={title}>
        <span class="title">{title}</span>
        {isNarrow.value ? null : <ColumnEdge name={name} />}
      </th>
    );
  }
  const isSorted = (query.value.get('sort') ?? 'lastSeen') === sort;
  const isShown = isSorted && !isSeenInPeriod(name);
  const turn = isSorted && !isAscending ? 'asc' : null;
  return (
    <th
      scope="col"
      class={name}
      aria-label={title}
      aria-sort={isShown ? (isAscending ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        class="quiet title"
        title={t.sortBy(isSeenInPeriod(name) ? t.columns.lastSeen : title)}
        onClick={() => navigate(hrefWith({ sort: sort === 'lastSeen' ? null : sort, sortDir: turn }))}
      >
        {title}
        {isShown ? (isAscending ? ' ↑' : ' ↓') : ''}
      </button>
      {isNarrow.value ? null : <ColumnEdge name={name} />}
    </th>
  );
}
