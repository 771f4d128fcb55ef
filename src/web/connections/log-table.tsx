// The table of the log. Only visible rows are in the page, except while it is printed.

import { useEffect, useRef } from 'preact/hooks';
import { openOnClick } from '../parts/row-click.ts';
import { connectionId } from '../state/connection-id.ts';
import { density, hasFilterRow } from '../state/preferences.ts';
import { isPrinting } from '../state/printing.ts';
import { isNarrow, isTouched } from '../state/screen.ts';
import { openOver, query } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Cells } from './cells.tsx';
import { layout, shownColumns } from './columns.ts';
import { FilterRow } from './filter-row.tsx';
import { Heading } from './heading.tsx';
import type { Pages } from './pages.ts';
import { countPrinted } from './print-rows.tsx';
import { handleTableKey } from './table-keys.ts';
import { useVirtual } from './virtual.ts';

/** Row heights in pixels: for a mouse, for touch, and for a narrow screen, on which names take two lines. */
const heights = { comfortable: [36, 44, 56], compact: [28, 36, 44] } as const;

export function LogTable({ pages, total, isDimmed }: { pages: Pages; total: number; isDimmed: boolean }) {
  const t = text.value;
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = heights[density.value][isNarrow.value ? 2 : isTouched.value ? 1 : 0];
  const { rows, height } = useVirtual(box, total, rowHeight);
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => pages.want(first, last), [first, last, total]);
  const isPaper = isPrinting.value;
  const drawn = isPaper
    ? Array.from({ length: countPrinted(pages) }, (_, index) => ({ index, start: index * rowHeight }))
    : rows;
  const open = query.value.get('open');
  const heads = hasFilterRow.value ? 2 : 1;
  const { template, width, gap } = layout.value;
  return (
    <section
      class={`log ${density.value} ${isDimmed ? 'dimmed' : ''}`}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={t.table}
      aria-busy={isDimmed}
      style={{ '--columns': template, '--width': width, '--gap': gap }}
      onKeyDown={(event) => handleTableKey(event, pages)}
    >
      <table aria-rowcount={total + heads}>
        <thead>
          <tr>
            {shownColumns.value.map((column) => (
              <Heading key={column.name} column={column} />
            ))}
          </tr>
          {hasFilterRow.value ? <FilterRow /> : null}
        </thead>
        <tbody style={isPaper ? {} : { height: `${height}px` }}>
          {drawn.map(({ index, start }) => {
            const row = pages.row(index);
            const id = row && connectionId(row);
            return (
              <tr
                key={index}
                data-index={index}
                aria-rowindex={index + 1 + heads}
                class={id !== null && id === open ? 'open' : ''}
                {...openOnClick(() => id !== null && openOver('open', id))}
                style={isPaper ? {} : { transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
              >
                {row ? <Cells row={row} index={index} /> : <td class="waiting">…</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
