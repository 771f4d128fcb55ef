// One connection as cells. Each can have the focus, so that its value can be taken as a filter.

import { Level } from '../parts/level.tsx';
import { Time } from '../parts/time.tsx';
import { connectionId } from '../state/connection-id.ts';
import { range } from '../state/range.ts';
import { isNarrow } from '../state/screen.ts';
import { openOver } from '../state/url.ts';
import { country, dateTime, joinWords, when } from '../text/format.ts';
import { type ColumnName, opener, shownColumns } from './columns.ts';
import type { Row } from './pages.ts';

export function Cells({ row, index }: { row: Row; index: number }) {
  const shown = shownColumns.value;
  // Without the address column, the host column shows the address when no name is known.
  const isAlone = shown.every(({ name }) => name !== 'dst');
  return (
    <>
      {shown.map(({ name }) => {
        const words = cellText(name, row, isAlone);
        return (
          <td
            key={name}
            class={name}
            data-column={name}
            tabIndex={name === opener ? undefined : -1}
            title={words ?? ''}
          >
            {name === opener ? (
              <button
                type="button"
                class="quiet"
                data-index={index}
                onClick={() => openOver('open', connectionId(row))}
              >
                <NameOrAddress text={sourceName(row)} />
              </button>
            ) : name === 'lastSeen' || name === 'firstSeen' ? (
              <Sighting name={name} row={row} />
            ) : name === 'level' ? (
              <Level level={row.threatLevel} />
            ) : (
              <NameOrAddress text={words ?? '—'} />
            )}
          </td>
        );
      })}
    </>
  );
}

/** A narrow cell breaks an address after a dot or a colon. A name breaks anywhere, as more of it is then seen in two lines. */
function NameOrAddress({ text }: { text: string }) {
  const isBroken = isNarrow.value && /^[\da-f:.]+$/i.test(text);
  const parts = isBroken ? text.split(/(?<=[.:])/) : [text];
  return <bdi>{parts.flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]))}</bdi>;
}

/** A fixed period shows when inside it the connection was seen. Ages would be those of today. */
function Sighting({ name, row }: { name: 'lastSeen' | 'firstSeen'; row: Row }) {
  const isFixed = range.value.name === null;
  const at = isFixed && name === 'lastSeen' ? row.lastInRange : row[name];
  // Until the rows of this period have arrived, the old ones stay.
  return <Time at={at ?? row[name]} format={isFixed ? dateTime : when} />;
}

function sourceName({ src, srcDnsName, srcMdnsName }: Row): string {
  return srcDnsName ?? srcMdnsName ?? src;
}

/** Null: unknown, or the cell shows more than text. */
function cellText(name: ColumnName, row: Row, isAlone: boolean): string | null {
  switch (name) {
    case 'lastSeen':
    case 'firstSeen':
    case 'level':
      return null;
    case 'host':
      return row.dstHost ?? (isAlone ? row.dst : null);
    case 'dport':
      // Protocols without ports, such as ICMP, have the port 0.
      return row.dport === 0 ? null : String(row.dport);
    case 'country':
      return row.country === null ? null : country(row.country);
    case 'observers':
      return joinWords(row.observedBy) || row.agentHost;
    default:
      return row[name];
  }
}
