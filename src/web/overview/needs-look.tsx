// The alerts of the period: which device, which destination, why.
import { Card } from '../parts/card.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Time } from '../parts/time.tsx';
import { rangeParameters } from '../state/range.ts';
import { addressIn } from '../state/url.ts';
import { duration, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { type Detection, urgent } from './urgent.ts';

const shown = 5;

export function NeedsLook({ detections, isDimmed }: { detections: readonly Detection[]; isDimmed: boolean }) {
  const t = text.value;
  const found = urgent(detections);
  return (
    <Card title={t.needsLook} kind="wide" isDimmed={isDimmed}>
      {found.length === 0 ? <p class="empty">{t.nothingFound}</p> : null}
      <ul class="alerts">
        {found.slice(0, shown).map((one) => (
          <Alert key={one.id} detection={one} />
        ))}
      </ul>
    </Card>
  );
}

function Alert({ detection }: { detection: Detection }) {
  const t = text.value;
  const { type, src, srcDnsName, srcMdnsName, dst, dstHost, dport, threatSource, threatTag, threatConfidence } =
    detection;
  const { intervalMs, obsCount, detectedAt } = detection;
  const isDanger = threatConfidence === 'high';
  const target = dst === null ? '' : `${dstHost ?? dst}:${dport ?? ''}`;
  const why = [
    threatSource === null ? null : t.alerts.listedBy(t.feeds[threatSource]),
    threatTag,
    intervalMs === null ? null : t.alerts.every(duration(intervalMs), number(obsCount ?? 0)),
  ].filter((part) => part !== null);
  const log = addressIn('connections', {
    ...rangeParameters.value,
    fSrc: src,
    fSrcMode: 'exact',
    fDst: dst,
    fDstMode: 'exact',
  });
  return (
    <li class={isDanger ? 'danger' : 'warn'}>
      <Icon name={isDanger ? 'danger' : 'warn'} />
      <div>
        <p class="alert-title">
          {t.alerts.types[type]}: <bdi>{srcDnsName ?? srcMdnsName ?? src}</bdi> → <bdi>{target}</bdi>
        </p>
        <p>
          {why.map((part) => `${part} · `)}
          <Time at={detectedAt} />
        </p>
      </div>
      <Link to={log} class="button">
        {t.open}
      </Link>
    </li>
  );
}
