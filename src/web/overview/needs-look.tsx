// Overview card: the newest alerts that need a look. Each row groups the detections of one device and destination.
import { AlertRow } from '../parts/alert-row.tsx';
import { alertLogHref } from '../parts/alert-words.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import type { Cause } from '../state/causes.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';

const maxRows = 5;

export function NeedsLook({ urgent, isDimmed }: { urgent: readonly Cause[]; isDimmed: boolean }) {
  const t = text.value;
  const period = rangeParameters.value;
  return (
    <Card
      title={t.needsLook}
      kind="wide"
      isDimmed={isDimmed}
      aside={<Link to={hrefTo('alerts', period)}>{t.allAlerts}</Link>}
    >
      {urgent.length === 0 ? <p class="empty">{t.nothingFound}</p> : null}
      <ul class="alerts">
        {urgent.slice(0, maxRows).map((cause) => (
          <AlertRow
            key={cause.key}
            cause={cause}
            to={hrefTo('alerts', { ...period, open: String(cause.mainDetection.id) })}
          >
            <Link to={alertLogHref(cause.mainDetection, period)} class="button">
              {t.open}
            </Link>
          </AlertRow>
        ))}
      </ul>
    </Card>
  );
}
