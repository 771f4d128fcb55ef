// The page of one device: who it is, what it did, what is new, and who observed it.
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { isolateName, joinWithDots } from '../parts/outside.ts';
import { useEvents } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import {
  describePeriod,
  deviceHref,
  exactLogHref,
  mapHref,
  range,
  rangeParameters,
  rangeQuery,
} from '../state/range.ts';
import { useTitle } from '../state/title.ts';
import { hrefTo, navigate } from '../state/url.ts';
import { words } from '../text/device/words.ts';
import { maker, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { DeviceAlerts } from './device-alerts.tsx';
import { DeviceCoverage } from './device-coverage.tsx';
import { DeviceDays } from './device-days.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { DeviceLists } from './device-lists.tsx';
import { DevicePrivacy } from './device-privacy.tsx';
import { DevicePrograms } from './device-programs.tsx';
import { type Device, deviceAddresses, deviceName, findDeviceByKey, useDevices } from './names.ts';
import { countedAddresses, loadTraffic } from './traffic.ts';

/** `shown` is the id of a device, or an address of it. */
export function DevicePage({ shown }: { shown: string }) {
  const t = text.value;
  const devices = useDevices();
  useEvents(['new-device', 'notes-update'], devices.reload);
  const all = devices.value?.devices ?? null;
  const device = all ? findDeviceByKey(all, shown) : undefined;
  const id = device?.deviceId ?? shown;
  /** Everything of the page is read again after an erasure. */
  const [erasures, setErasures] = useState(0);
  useTitle(device ? deviceName(device) : all ? words.value.notHere : null, { isOutside: device !== undefined });
  useEffect(() => {
    if (id !== shown) {
      navigate(deviceHref(id), 'replace');
    }
  }, [id, shown]);
  return (
    <div class="device-page">
      <p>
        <Link to={hrefTo('devices', rangeParameters.value)}>{words.value.back}</Link>
      </p>
      <Failure error={devices.error} reload={devices.reload} />
      {all === null && devices.error === null ? <p class="note">{t.loading}</p> : null}
      {device && all ? (
        <Shown
          key={`${id} ${erasures}`}
          device={device}
          devices={all}
          changed={devices.reload}
          erased={() => setErasures(erasures + 1)}
        />
      ) : null}
      {all && !device ? <NotHere shown={shown} /> : null}
    </div>
  );
}

function NotHere({ shown }: { shown: string }) {
  const w = words.value;
  return (
    <>
      <h1>{w.notHere}</h1>
      <Note title={w.notHereHelp(isolateName(shown))}>
        <p class="actions">
          <Link class="button main" to={hrefTo('devices', rangeParameters.value)}>
            {w.back}
          </Link>
          {/[.:]/.test(shown) ? (
            <Link class="button" to={exactLogHref({ fSrc: shown })}>
              {w.itsConnections}
            </Link>
          ) : null}
        </p>
      </Note>
    </>
  );
}

interface Props {
  device: Device;
  devices: readonly Device[];
  changed: () => void;
  /** What was kept of the device is gone. */
  erased: () => void;
}

function Shown({ device, devices, changed, erased }: Props) {
  const addresses = countedAddresses(deviceAddresses(device));
  const hasAddress = addresses.length > 0;
  const { from, to } = range.value;
  const period = useLoaded(`${addresses} ${from} ${to}`, async (stop) => {
    if (!hasAddress) {
      return null;
    }
    const [traffic, coverage] = await Promise.all([
      loadTraffic(addresses, { from, to, buckets: 1 }, stop),
      ask('GET /api/coverage', { query: { ...rangeQuery.value, buckets: '1' } }, stop),
    ]);
    return { traffic, coverage };
  });
  const { value, error, reload, isStale } = period;
  return (
    <>
      <Head device={device} addresses={addresses} total={value?.traffic.total ?? null} />
      <div class="device-columns">
        <div>
          <DeviceFacts device={device} devices={devices} changed={changed} />
          <DeviceAlerts device={device} />
          <DevicePrograms device={device} />
          <DevicePrivacy device={device} erased={erased} />
          {value ? <DeviceCoverage addresses={addresses} {...value} /> : null}
        </div>
        <div>
          {hasAddress ? <DeviceDays device={device} addresses={addresses} /> : null}
          <Failure error={error} reload={reload} />
          {value ? (
            <DeviceLists addresses={addresses} traffic={value.traffic} isDimmed={isStale} />
          ) : hasAddress && error === null ? (
            <p class="empty">{text.value.loading}</p>
          ) : null}
        </div>
      </div>
    </>
  );
}

interface HeadProps {
  device: Device;
  addresses: readonly string[];
  /** Connections of the period; null until they are counted. */
  total: number | null;
}

function Head({ device, addresses, total }: HeadProps) {
  const w = words.value;
  const { ip, vendor, status } = device;
  return (
    <header>
      <h1>
        <bdi>{deviceName(device)}</bdi>
      </h1>
      <p>{joinWithDots([text.value.devices.statuses[status], ip, maker(vendor)])}</p>
      {addresses.length === 0 ? (
        <p>{w.noAddress}</p>
      ) : (
        <p class="actions">
          <Link class="button main" to={exactLogHref({ fSrc: addresses })}>
            {w.allConnections(total === null ? '…' : number(total))}
          </Link>
          <Link class="button" to={mapHref({ device: addresses[0] ?? '' })}>
            {w.onMap}
          </Link>
          <small>{describePeriod(range.value)}</small>
          {addresses.length < deviceAddresses(device).length ? (
            <small>{w.onlyAddresses(number(addresses.length))}</small>
          ) : null}
        </p>
      )}
    </header>
  );
}
