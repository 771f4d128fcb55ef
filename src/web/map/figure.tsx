// A number of connections that links to the log, and the table below each picture.
import type { ComponentChildren } from 'preact';
import type { ThreatLevel } from '#contract/model.ts';
import { Level } from '../parts/level.tsx';
import { Link } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import { isNarrow } from '../state/screen.ts';
import { number } from '../text/format.ts';
import { words } from '../text/map/words.ts';

export function Figure({ count, to }: { count: number; to: string | null }) {
  return to === null ? <span class="figure">{number(count)}</span> : <Link to={to}>{number(count)}</Link>;
}

export interface Row {
  key: string;
  names: ComponentChildren[];
  count: number;
  to: string | null;
  level: ThreatLevel;
  lastSeen: number;
}

interface Props {
  caption: string;
  /** Headings of the columns that `names` of a row fill. */
  columns: readonly string[];
  rows: readonly Row[];
  /** Number of rows, shown or not. */
  all: number;
  /** No threat list was available. */
  isUnjudged: boolean;
}

/** Most rows that are shown. */
export const mostRows = 250;

export function FigureTable({ caption, columns, rows, all, isUnjudged }: Props) {
  const w = words.value;
  const shown = rows.slice(0, mostRows);
  return (
    <div class="map-table">
      <table>
        <caption>
          {caption}
          {shown.length < all ? <small> {w.shownRows(number(shown.length), number(all))}</small> : null}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col" class="figure">
              {w.connections}
            </th>
            {isNarrow.value ? null : (
              <>
                <th scope="col">{w.level}</th>
                <th scope="col">{w.lastSeen}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, names, count, to, level, lastSeen }) => {
            const judged = isUnjudged ? <small>{w.notJudged}</small> : <Level level={level} />;
            const time = <Time at={lastSeen} />;
            const figure = <Figure count={count} to={to} />;
            return (
              <tr key={key} class={level}>
                {names.map((name, at) =>
                  at === 0 ? (
                    <th key={columns[at]} scope="row">
                      {name}
                    </th>
                  ) : (
                    <td key={columns[at]}>{name}</td>
                  ),
                )}
                {isNarrow.value ? (
                  <td class="figure">
                    {figure}
                    {judged}
                    {time}
                  </td>
                ) : (
                  <>
                    <td class="figure">{figure}</td>
                    <td>{judged}</td>
                    <td>{time}</td>
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A name that links to its selection; plain text without `to`. */
export function Pick({ name, more = '', to }: { name: string; more?: string; to: string | null }) {
  return (
    <span class="map-name" title={name.slice(0, 300)}>
      {to === null ? <bdi>{name}</bdi> : <Link to={to}>{name}</Link>}
      {more === '' ? null : (
        <small>
          {' '}
          <bdi>{more}</bdi>
        </small>
      )}
    </span>
  );
}
