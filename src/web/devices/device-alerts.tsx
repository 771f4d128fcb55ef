// The latest alerts of a device, of any time: alerts do not depend on the period.
import { alertKind, alertTarget } from '../parts/alert-words.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { askAlerts, useAlerts } from '../state/alerts.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';
import { type Device, toAlertDeviceFilter } from './names.ts';

const most = 8;

export function DeviceAlerts({ device }: { device: Device }) {
  const t = text.value;
  const query = { device: toAlertDeviceFilter(device), limit: String(most) };
  const { value, error, reload } = useAlerts(query.device.join(), (signal) => askAlerts(query, signal));
  const all = hrefTo('alerts', { ...rangeParameters.value, state: 'all', device: device.deviceId });
  return (
    <Card title={t.places.alerts} aside={<Link to={all}>{t.devices.allAlerts}</Link>}>
      <Failure error={error} reload={reload} />
      {value === null && error === null ? <p class="empty">{t.loading}</p> : null}
      {value?.alerts.length === 0 ? <p class="empty">{t.alerts.noneOfDevice}</p> : null}
      <ul class="rows">
        {value?.alerts.map((alert) => (
          <li key={alert.id}>
            <span>
              <Link to={hrefTo('alerts', { ...rangeParameters.value, alert: String(alert.id) })}>
                {alertKind(alert.kind)}
              </Link>{' '}
              <small>{joinWithDots([alertTarget(alert), t.alerts.states[alert.state]])}</small>
            </span>
            <Time at={alert.lastAt} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
