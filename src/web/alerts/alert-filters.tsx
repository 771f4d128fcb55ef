// Which alerts are shown: those of a level, those of a device. Both stand in the address.
import type { DetectionLevel } from '#contract/detection.ts';
import { ask } from '../api/client.ts';
import { type Device, deviceAddresses, fullDeviceName, sortDevices } from '../devices/names.ts';
import { Failure } from '../parts/note.tsx';
import { type Loaded, useLoaded } from '../state/loaded.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { text } from '../text/text.ts';
import type { AlertQuery } from './inbox.ts';

/** The compiler names a level that the contract has and this list lacks. */
const levels = Object.keys({ danger: 0, warn: 0, info: 0 } satisfies Record<DetectionLevel, 0>) as DetectionLevel[];

export interface AlertFilter {
  /** Null until it is known which addresses the device has. */
  asked: Omit<AlertQuery, 'kind'> | null;
  isAny: boolean;
  level: DetectionLevel | null;
  /** The id in the address; null: all devices. */
  device: string | null;
  devices: Loaded<readonly Device[]>;
}

/** How many addresses the hub takes at once. */
const mostAddresses = 20;

export function useAlertFilter(): AlertFilter {
  const level = levels.find((one) => one === query.value.get('level')) ?? null;
  const device = query.value.get('device');
  const devices = useLoaded('devices', async (signal) => {
    const answer = await ask('GET /api/devices', { query: { includeArchived: '1' } }, signal);
    return sortDevices(answer.devices);
  });
  const isAny = level !== null || device !== null;
  if (device === null) {
    return { asked: { level, src: [], srcMac: [] }, isAny, level, device, devices };
  }
  const found = devices.value?.find(({ deviceId }) => deviceId === device);
  const src = found ? deviceAddresses(found).slice(0, mostAddresses) : [];
  const srcMac = found ? found.interfaces.map(({ mac }) => mac).slice(0, mostAddresses) : [];
  // Of a device that is not there nothing is asked for, and nothing is found: an address that no device has.
  const asked = devices.value && { level, src: src.length + srcMac.length === 0 ? ['none'] : src, srcMac };
  return { asked, isAny, level, device, devices };
}

export function AlertFilters({ narrowed: { level, device, devices } }: { narrowed: AlertFilter }) {
  const t = text.value.alerts;
  const change = (parameter: 'level' | 'device', value: string) =>
    navigate(hrefWith({ [parameter]: value === '' ? null : value, open: null }));
  return (
    <div class="filter-form">
      {devices.error ? <Failure error={devices.error} again={devices.again} /> : null}
      <label>
        {t.level}
        <select value={level ?? ''} onChange={({ currentTarget }) => change('level', currentTarget.value)}>
          <option value="">{t.allLevels}</option>
          {levels.map((one) => (
            <option key={one} value={one}>
              {t.levels[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.device}
        <select value={device ?? ''} onChange={({ currentTarget }) => change('device', currentTarget.value)}>
          <option value="">{t.allDevices}</option>
          {(devices.value ?? []).map((one) => (
            <option key={one.deviceId} value={one.deviceId}>
              {fullDeviceName(one)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
