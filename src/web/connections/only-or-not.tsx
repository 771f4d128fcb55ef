// Two links that filter the log by a value: only this value, or everything else. Other filters stay.
import { Link } from '../parts/link.tsx';
import { words } from '../text/log/words.ts';
import { addFilter, type FilterColumn, filters, hrefWithFilters, maxLength } from './filters.ts';

export function OnlyOrNot({ column, value }: { column: FilterColumn; value: string | null }) {
  // The API refuses a longer filter.
  if (value === null || value === '' || value.length > maxLength(column)) {
    return null;
  }
  const to = (mode: 'exact' | 'isNot') =>
    hrefWithFilters(addFilter(filters.value, { name: column, mode, values: [value] }));
  return (
    <span class="only-or-not">
      {(['exact', 'isNot'] as const).map((mode) => (
        <Link key={mode} to={to(mode)}>
          {mode === 'exact' ? words.value.onlyThis : words.value.notThis}
          <span class="spoken">
            : <bdi>{value}</bdi>
          </span>
        </Link>
      ))}
    </span>
  );
}
