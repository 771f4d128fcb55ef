// How many connections an address had in the period, as the way to them.
import type { Reply } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

type Summary = Reply<'GET /api/connections/summary'>;

/** Addresses that a summary counts at most. */
const most = 200;

export interface Counts {
  of: (address: string) => number;
  /** Addresses beyond those that are counted: theirs is not known. */
  isPartial: boolean;
}

export function countByAddress({ byDevice }: Summary): Counts {
  const counts = new Map(byDevice.map(({ src, count }) => [src, count]));
  return { of: (address) => counts.get(address) ?? 0, isPartial: byDevice.length >= most };
}

/** Each address with connections; a dash where none is known of. */
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
          <Link to={hrefTo('connections', { ...rangeParameters.value, fSrc: address, fSrcMode: 'exact' })}>
            {number(counts.of(address))}
          </Link>
          {address === addresses[0] ? null : <small> {t.with(address)}</small>}
        </li>
      ))}
    </ul>
  );
}
