// What a trial of beacon settings would have told: the period, and each beacon with why and by which settings.
import type { Reply } from '../../api/client.ts';
import { Time } from '../../parts/time.tsx';
import { dateTime, duration, number, percent } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

type Found = Reply<'POST /api/beacons/preview'>;
type Told = Found['beacons'][number];

export function ToldBeacons({ found }: { found: Found }) {
  const t = words.value.beaconTrial;
  const { from, to, flows, dismissed, beacons, truncated } = found;
  if (flows + dismissed === 0) {
    return <p class="empty">{t.nothingStored}</p>;
  }
  return (
    <>
      <p class="help">
        {t.period(dateTime(from), dateTime(to), number(flows))}
        {dismissed === 0 ? null : ` ${t.dismissed(number(dismissed))}`}
      </p>
      {beacons.length === 0 ? <p class="empty">{t.none}</p> : null}
      <ul class="rows told-beacons">
        {beacons.map((one) => (
          <Row key={[one.src, one.dst, one.dport, one.proto].join()} told={one} />
        ))}
      </ul>
      {truncated ? <p class="help">{t.truncated(number(beacons.length))}</p> : null}
    </>
  );
}

function Row({ told }: { told: Told }) {
  const t = words.value.beaconTrial;
  const { src, srcName, dst, dstHost, dport, proto, org, intervalMs, intervalCov, obsCount, score } = told;
  const { givenAt, savedAt } = told;
  const by = givenAt === null ? t.savedOnly : savedAt === null ? t.givenOnly : t.both;
  return (
    <li>
      <span dir="auto">
        {srcName ?? src} → {dstHost ?? dst}{' '}
        <small>
          {[dstHost === null ? null : dst, `${proto} ${dport}`, org].filter((part) => part !== null).join(', ')}
          <br />
          {text.value.alerts.every(duration(intervalMs), number(obsCount))},{' '}
          {text.value.alerts.spread(percent(intervalCov))}, {text.value.alerts.certainty}: {percent(score)}
        </small>
      </span>
      <span>
        <Time at={Math.max(givenAt ?? 0, savedAt ?? 0)} format={dateTime} /> <small>{by}</small>
      </span>
    </li>
  );
}
