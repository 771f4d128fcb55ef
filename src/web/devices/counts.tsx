// The number of connections of an address, as a link to them.
import type { Reply } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { exactLogHref } from '../state/range.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

type Summary = Reply<'GET /api/connections/summary'>;

/** Most addresses in a summary. */
const most = 200;

export interface Counts {
  of: (address: string) => number;
  /** Whether the summary is cut: the count of other addresses is unknown, not 0. */
  isPartial: boolean;
}

export function countByAddress({ byDevice }: Summary): Counts {
  const counts = new Map(byDevice.map(({ src, count }) => [src, count]));
  return { of: (address) => counts.get(address) ?? 0, isPartial: byDevice.length >= most };
}

/** Links for each address with connections; a dash when the count is unknown. */
export function CountLinks({ addresses, counts }: { addresses: readonly string[]; counts: Counts | null }) {
  const t = text.value.devices;
  const counted = addresses.filter((address) => (counts?.of(address) ?? 0) > 0);
  if (counts === null || counted.length === 0) {
    return <>{counts === null ? '…' : counts.isPartial ? '—' : number(0)}</>;
  }
  return (
    <ul class="counts">
      {counted.map((address) => (
        <li key={address}>
          <Link to={exactLogHref({ fSrc: address })}>{number(counts.of(address))}</Link>
          {address === addresses[0] ? null : <small> {t.with(address)}</small>}
        </li>
      ))}
    </ul>
  );
}
