// The filters of the alerts by level and by device, stored in the URL.

import type { DetectionLevel } from '#contract/detection.ts';
import { fullDeviceName, sortDevices, toDetectionFilter, useDevices } from '../devices/names.ts';
import { Select } from '../parts/choice.tsx';
import { Failure } from '../parts/note.tsx';
import { hrefWith, navigate, query } from '../state/url.ts';
import { text } from '../text/text.ts';
import type { AlertQuery } from './inbox.ts';

/** Fails to compile when a level of the contract is missing. */
const levels = Object.keys({ danger: 0, warn: 0, info: 0 } satisfies Record<DetectionLevel, 0>) as DetectionLevel[];

export interface AlertFilter {
  /** What to load; null until the addresses of the device are known. */
  asked: Omit<AlertQuery, 'kind'> | null;
  isAny: boolean;
  level: DetectionLevel | null;
  /** The device id in the URL; null: all devices. */
  device: string | null;
  devices: ReturnType<typeof useDevices>;
}

export function useAlertFilter(): AlertFilter {
  const level = levels.find((one) => one === query.value.get('level')) ?? null;
  const device = query.value.get('device');
  const devices = useDevices();
  const isAny = level !== null || device !== null;
  if (device === null) {
    return { asked: { level, src: [], srcMac: [] }, isAny, level, device, devices };
  }
  const found = devices.value?.devices.find(({ deviceId }) => deviceId === device);
  const asked = devices.value && { level, ...toDetectionFilter(found) };
  return { asked, isAny, level, device, devices };
}

export function AlertFilters({ narrowed: { level, device, devices } }: { narrowed: AlertFilter }) {
  const t = text.value.alerts;
  const change = (parameter: 'level' | 'device', value: string) =>
    navigate(hrefWith({ [parameter]: value === '' ? null : value, open: null }));
  const sorted = sortDevices(devices.value?.devices ?? []);
  const names = new Map(sorted.map((one) => [one.deviceId, fullDeviceName(one)]));
  return (
    <div class="filter-form">
      <Failure error={devices.error} reload={devices.reload} />
      <Select
        label={t.level}
        value={level ?? ''}
        values={['', ...levels]}
        describe={(one) => (one === '' ? t.allLevels : t.levels[one])}
        choose={(value) => change('level', value)}
      />
      <Select
        label={t.device}
        value={device ?? ''}
        values={['', ...names.keys()]}
        describe={(id) => names.get(id) ?? t.allDevices}
        choose={(value) => change('device', value)}
      />
    </div>
  );
}
