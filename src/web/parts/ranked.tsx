// A ranking with a bar for each row.
import { number } from '../text/format.ts';
import { Link } from './link.tsx';

export interface RankedRow {
  key: string;
  name: string;
  more: string;
  count: number;
  /** The URL of the rows that are counted. */
  to: string;
  /** The URL of what is named, when it has a page; the count then leads to the rows. */
  page?: string;
}

export function Ranked({ rows }: { rows: readonly RankedRow[] }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ol class="ranked">
      {rows.map(({ key, name, more, count, to, page }) => (
        <li key={key}>
          <Link to={page ?? to}>{name}</Link>{' '}
          <small>
            <bdi>{more}</bdi>
          </small>
          <span class="figure">{page === undefined ? number(count) : <Link to={to}>{number(count)}</Link>}</span>
          <meter class="bar" aria-hidden="true" min={0} max={most} value={count} />
        </li>
      ))}
    </ol>
  );
}
