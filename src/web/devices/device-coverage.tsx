// Which routers observed a device in the period, how much of the time, and what they never see.
import type { Reply } from '../api/client.ts';
import { BlindSpots, listBlindSpots } from '../parts/blind-spots.tsx';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { dot } from '../parts/outside.ts';
import { exactLogHref, rangeParameters } from '../state/range.ts';
import { words } from '../text/device/words.ts';
import { number, percent } from '../text/format.ts';
import { text } from '../text/text.ts';
import type { Traffic } from './traffic.ts';

interface Props {
  addresses: readonly string[];
  traffic: Traffic;
  coverage: Reply<'GET /api/coverage'>;
}

export function DeviceCoverage({ addresses, traffic: { byDevice }, coverage: { subjects } }: Props) {
  const w = words.value;
  const t = text.value;
  const observedBy = new Set(byDevice.flatMap((device) => device.observedBy));
  const observers = subjects.filter(({ kind, id }) => kind === 'router' && observedBy.has(id));
  const blind = listBlindSpots(observers);
  const href = (id: string) =>
    exactLogHref({ fSrc: addresses }, { ...rangeParameters.value, sourceKind: 'router', sourceId: id });
  return (
    <Card title={w.coverage}>
      {observers.length === 0 ? <p class="empty">{w.notObserved}</p> : null}
      <ul class="rows">
        {observers.map(({ id, name, share, gapsTotal, unseen }) => (
          <li key={id}>
            <span>
              <Link to={href(id)}>{name}</Link>{' '}
              <small>
                {share === null ? t.observedNothing : t.observed(percent(share))}
                {gapsTotal === 0 ? null : `${dot}${w.gaps(gapsTotal, number(gapsTotal))}`}
                {unseen?.share ? `${dot}${t.unseen(percent(unseen.share))}` : null}
              </small>
            </span>
          </li>
        ))}
      </ul>
      {blind.length === 0 ? null : (
        <details class="rest">
          <summary>{t.cannotSee}</summary>
          <BlindSpots spots={blind} />
        </details>
      )}
    </Card>
  );
}
