// All devices of an alert: each leads to its page, or to its connections when it is not known any more.
import { findDeviceOfAlert, useDevices } from '../devices/names.ts';
import { alertDevice, deviceLogHref } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import type { Alert } from '../state/alerts.ts';
import { deviceHref } from '../state/range.ts';
import { words } from '../text/alerts/words.ts';
import { maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function AlertDevices({ alert: { devices } }: { alert: Alert }) {
  const known = useDevices();
  return (
    <section>
      <h3>{words.value.devices}</h3>
      <Failure error={known.error} reload={known.reload} />
      <ul class="rows">
        {devices.map((one) => {
          const id = findDeviceOfAlert(known.value?.devices, one)?.deviceId;
          const to = id === undefined ? deviceLogHref(one.src) : deviceHref(id);
          return (
            <li key={one.device}>
              <span>
                <Link to={to}>{alertDevice(one)}</Link>
                <small>
                  {joinWithDots([one.src, maker(one.srcVendor), text.value.alerts.times(one.times, number(one.times))])}
                </small>
              </span>
              <Time at={one.lastAt} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
