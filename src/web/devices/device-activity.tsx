// The traffic of a device over time, its destinations, new ones among them, and its alerts.
import { ask, type Reply } from '../api/client.ts';
import { alertKind, alertTarget } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { joinWithDots } from '../parts/outside.ts';
import { Ranked } from '../parts/ranked.tsx';
import { Strip } from '../parts/strip.tsx';
import { Time } from '../parts/time.tsx';
import { askAlerts, useAlerts } from '../state/alerts.ts';
import { useLoaded } from '../state/loaded.ts';
import { observedShares } from '../state/observed.ts';
import { exactLogHref, range, rangeParameters, rangeQuery } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { type Device, deviceAddresses, toAlertDevices } from './names.ts';

const shown = 8;
const buckets = 48;

export function DeviceActivity({ device }: { device: Device }) {
  const addresses = deviceAddresses(device);
  return (
    <>
      {addresses.slice(0, 1).map((address) => (
        <Traffic key={address} address={address} />
      ))}
      <Alerts device={device} />
    </>
  );
}

/** For the latest address only. */
function Traffic({ address }: { address: string }) {
  const t = text.value;
  const { from, to } = range.value;
  const period = rangeQuery.value;
  const { value, error, reload, isLoading } = useLoaded(`${address} ${from} ${to}`, (signal) =>
    Promise.all([
      ask('GET /api/connections/summary', { query: { ...period, src: address, buckets: String(buckets) } }, signal),
      ask('GET /api/connections/new-nodes', { query: period }, signal),
      ask('GET /api/coverage', { query: { ...period, buckets: String(buckets) } }, signal),
    ]),
  );
  if (value === null) {
    return error ? <Failure error={error} reload={reload} /> : <p class="empty">{t.loading}</p>;
  }
  const [summary, { newDestinations }, coverage] = value;
  const isNew = new Set(newDestinations.map(({ dst }) => dst));
  const rowsOf = (all: Reply<'GET /api/connections/summary'>['byDst']) =>
    all.slice(0, shown).map(({ dst, dstHost, org, count }) => ({
      key: dst,
      name: dstHost ?? dst,
      more: org ?? (dstHost === null ? '' : dst),
      count,
      to: exactLogHref({ fSrc: address, fDst: dst }),
    }));
  const fresh = summary.byDst.filter(({ dst }) => isNew.has(dst));
  return (
    <section aria-busy={isLoading} class={isLoading ? 'dimmed' : ''}>
      <Failure error={error} reload={reload} />
      <Strip
        label={t.devices.activity(address, number(summary.total))}
        counts={summary.byBucket}
        observed={observedShares(coverage, buckets)}
        from={from}
        to={to}
      />
      <h3>{t.devices.destinations(address)}</h3>
      {summary.byDst.length === 0 ? <p class="empty">{t.sentence.noRows}</p> : null}
      <Ranked rows={rowsOf(summary.byDst)} />
      <h3>{t.devices.newDestinations(number(fresh.length))}</h3>
      <p class="empty">{fresh.length === 0 ? t.nothingNew : t.devices.newHelp}</p>
      <Ranked rows={rowsOf(fresh)} />
    </section>
  );
}

/** Of any time: alerts do not depend on the period. */
function Alerts({ device }: { device: Device }) {
  const t = text.value;
  const query = { device: toAlertDevices(device), limit: String(shown) };
  const { value, error, reload } = useAlerts(device.deviceId, (signal) => askAlerts(query, signal));
  return (
    <section>
      <h3>{t.places.alerts}</h3>
      <Failure error={error} reload={reload} />
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
      {(value?.next ?? null) === null ? null : (
        <Link to={hrefTo('alerts', { ...rangeParameters.value, state: 'all', device: device.deviceId })}>
          {t.devices.allAlerts}
        </Link>
      )}
    </section>
  );
}
