// A ranking with a bar for each row.
import { number } from '../text/format.ts';
import { Link } from './link.tsx';

export interface RankedRow {
  key: string;
  name: string;
  more: string;
  count: number;
  to: string;
}

export function Ranked({ rows }: { rows: readonly RankedRow[] }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ol class="ranked">
      {rows.map(({ key, name, more, count, to }) => (
        <li key={key}>
          <Link to={to}>{name}</Link>{' '}
          <small>
            <bdi>{more}</bdi>
          </small>
          <span class="figure">{number(count)}</span>
          <meter class="bar" aria-hidden="true" min={0} max={most} value={count} />
        </li>
      ))}
    </ol>
  );
}
