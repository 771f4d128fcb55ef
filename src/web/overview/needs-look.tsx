// The open alerts that need a look, whatever period is chosen: which device, which destination, why.
import { AlertRow } from '../parts/alert-row.tsx';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import type { AlertPage } from '../state/alerts.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

const maxRows = 5;

export function NeedsLook({ alerts: { alerts, counts } }: { alerts: AlertPage }) {
  const t = text.value;
  const period = rangeParameters.value;
  const { open } = counts;
  return (
    <Card title={t.needsLook} kind="wide" aside={<Link to={hrefTo('alerts', period)}>{t.allAlerts}</Link>}>
      {alerts.length === 0 ? (
        <p class="empty">{open === 0 ? t.alerts.noneOpen : t.alerts.openNews(open, number(open))}</p>
      ) : null}
      <ul class="alerts">
        {alerts.slice(0, maxRows).map((alert) => {
          const to = hrefTo('alerts', { ...period, alert: String(alert.id) });
          return (
            <AlertRow key={alert.id} alert={alert} to={to}>
              <Link to={to} class="button">
                {t.open}
              </Link>
            </AlertRow>
          );
        })}
      </ul>
    </Card>
  );
}
