// Keyboard in the log: moves between cells, and uses the value of a cell as a filter.

import { isKey } from '../frame/keys.ts';
import { connectionId } from '../state/connection-id.ts';
import { navigate, openOver } from '../state/url.ts';
import { columns } from './columns.ts';
import { addFilter, filters, hasMode, hrefWithFilters, maxLength } from './filters.ts';
import type { Pages, Row } from './pages.ts';

export function handleTableKey(event: KeyboardEvent, pages: Pages): void {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('tbody td') : null;
  const line = cell?.closest<HTMLElement>('tr');
  const row = line && pages.row(Number(line.dataset.index));
  if (!cell || !line || !row) {
    return;
  }
  const beside = (step: number) =>
    line.parentElement?.querySelector(
      `tr[data-index="${Number(line.dataset.index) + step}"] td[data-column="${cell.dataset.column}"]`,
    );
  if (isKey('rowBefore', event)) {
    focusCell(beside(-1));
  } else if (isKey('rowAfter', event)) {
    focusCell(beside(1));
  } else if (isKey('cellBefore', event)) {
    focusCell(cell.previousElementSibling);
  } else if (isKey('cellAfter', event)) {
    focusCell(cell.nextElementSibling);
  } else if (isKey('openRow', event)) {
    openOver('open', connectionId(row));
  } else if (isKey('only', event) || isKey('not', event)) {
    const filter = cellFilter(cell.dataset.column, row, isKey('not', event));
    if (filter) {
      navigate(hrefWithFilters(addFilter(filters.value, filter)));
    }
  } else {
    return;
  }
  event.preventDefault();
}

/** The filter for the value of a cell; null when the cell is empty or cannot be filtered by. */
function cellFilter(column: string | undefined, row: Row, isNot: boolean) {
  const { filter, valueIn } = columns.find(({ name }) => name === column) ?? {};
  const value = valueIn?.(row) ?? null;
  // The destination filter matches host names too.
  const name = column === 'host' ? 'fDst' : filter;
  if (name === undefined || value === null || value.length > maxLength(name) || (isNot && !hasMode(name))) {
    return null;
  }
  return { name, mode: hasMode(name) ? (isNot ? ('isNot' as const) : ('exact' as const)) : null, values: [value] };
}

/** Focuses the button in the cell, or the cell. */
function focusCell(cell: Element | null | undefined): void {
  const target = cell?.querySelector('button') ?? cell;
  if (target instanceof HTMLElement) {
    target.focus();
  }
}
