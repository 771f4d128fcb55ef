// The rows of the log: only those in sight are in the page, however many there are.
import { useEffect, useRef } from 'preact/hooks';
import { Level } from '../parts/level.tsx';
import { Time } from '../parts/time.tsx';
import { query, show, withParameters } from '../state/url.ts';
import { country } from '../text/format.ts';
import { text } from '../text/text.ts';
import type { Pages, Row } from './pages.ts';
import { useVirtual } from './virtual.ts';

const rowHeight = 36;

const columns = ['lastSeen', 'src', 'dst', 'host', 'dport', 'proto', 'org', 'country', 'level'] as const;
type Column = (typeof columns)[number];
const sortable: readonly string[] = ['lastSeen', 'src', 'dst', 'dport', 'proto', 'country', 'org'];

export const idOf = ({ src, dst, dport, proto }: Row) => [src, dst, dport, proto].join();

export function LogTable({ pages, total, isDimmed }: { pages: Pages; total: number; isDimmed: boolean }) {
  const t = text.value;
  const box = useRef<HTMLDivElement>(null);
  const { rows, height } = useVirtual(box, total, rowHeight);
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0];
  useEffect(() => pages.want(first, last), [first, last, total]);
  const open = query.value.get('open');
  const onKey = (event: KeyboardEvent) => {
    const index = Number((event.target as HTMLElement).dataset.index);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && Number.isInteger(index)) {
      event.preventDefault();
      box.current?.querySelector<HTMLElement>(`button[data-index="${index + step}"]`)?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section class={`log ${isDimmed ? 'dimmed' : ''}`} ref={box} tabIndex={0} aria-label={t.table} onKeyDown={onKey}>
      <table aria-rowcount={total + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column} column={column} />
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${height}px` }}>
          {rows.map(({ index, start }) => {
            const row = pages.row(index);
            const id = row && idOf(row);
            return (
              <tr
                key={index}
                aria-rowindex={index + 2}
                class={id !== null && id === open ? 'open' : ''}
                style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
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

function Heading({ column }: { column: Column }) {
  const t = text.value;
  const sort = query.value.get('sort') ?? 'lastSeen';
  const isAscending = query.value.get('sortDir') === 'asc';
  const name = t.columns[column];
  if (!sortable.includes(column)) {
    return (
      <th scope="col" class={column}>
        {name}
      </th>
    );
  }
  const isSorted = sort === column;
  const turn = isSorted && !isAscending ? 'asc' : 'desc';
  return (
    <th scope="col" class={column} aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <button
        type="button"
        class="quiet"
        title={t.sortBy(name)}
        onClick={() =>
          show(withParameters({ sort: column === 'lastSeen' ? null : column, sortDir: turn === 'asc' ? 'asc' : null }))
        }
      >
        {name}
        {isSorted ? (isAscending ? ' ↑' : ' ↓') : ''}
      </button>
    </th>
  );
}

function Cells({ row, index }: { row: Row; index: number }) {
  const { src, srcDnsName, srcMdnsName, dst, dstHost, dport, proto, org, country: code, threatLevel, lastSeen } = row;
  return (
    <>
      <td class="lastSeen">
        <Time at={lastSeen} />
      </td>
      <td class="src" title={src}>
        <button
          type="button"
          class="quiet"
          data-index={index}
          onClick={() => show(withParameters({ open: idOf(row) }), 'replace')}
        >
          {srcDnsName ?? srcMdnsName ?? src}
        </button>
      </td>
      <td class="dst">{dst}</td>
      <td class="host" title={dstHost ?? ''}>
        {dstHost ?? '—'}
      </td>
      <td class="dport">{dport}</td>
      <td class="proto">{proto}</td>
      <td class="org" title={org ?? ''}>
        {org ?? '—'}
      </td>
      <td class="country">{code === null ? '—' : country(code)}</td>
      <td class="level">
        <Level level={threatLevel} />
      </td>
    </>
  );
}
