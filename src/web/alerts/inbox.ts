// The alerts that the URL asks for, and more of them on demand. They do not depend on the period.
import { useState } from 'preact/hooks';
import type { AlertState } from '#contract/alert-states.ts';
import type { DetectionLevel, DetectionType } from '#contract/detection.ts';
import { toAlertDeviceFilter, type useDevices } from '../devices/names.ts';
import { type AlertPage, type AlertQuery, askAlerts, useAlerts } from '../state/alerts.ts';
import type { Loaded } from '../state/loaded.ts';
import { query } from '../state/url.ts';

/** The keys of a record that must name each value of `T`: a missing one does not compile. */
const keysOf = <T extends string>(values: Record<T, 0>) => Object.keys(values) as T[];
export const states = keysOf<AlertState>({ open: 0, acknowledged: 0, muted: 0, expected: 0, resolved: 0 });
export const kinds = keysOf<DetectionType>({ threat: 0, retro_match: 0, beacon: 0, new_device: 0 });
export const levels = keysOf<DetectionLevel>({ danger: 0, warn: 0, info: 0 });

/** `todo`: open and acknowledged. */
export const tabs = ['todo', ...states, 'all'] as const;
export type Tab = (typeof tabs)[number];

export type AlertFilter = ReturnType<typeof readFilter>;

export function readFilter() {
  const given = (name: string) => query.value.get(name);
  return {
    tab: tabs.find((one) => one === given('state')) ?? 'todo',
    kind: kinds.find((one) => one === (given('kind') ?? given('type'))) ?? null,
    level: levels.find((one) => one === given('level')) ?? null,
    /** Id of the device whose alerts are shown; null for all. */
    device: given('device'),
    q: given('q') ?? '',
  };
}

/** Parameters of the URL without any filter. */
export const noFilter = { state: null, kind: null, type: null, level: null, device: null, q: null };

const pageRows = 50;
/** Most rows of one request. */
const mostRows = 200;

export interface Inbox extends Loaded<AlertPage> {
  more: () => void;
}

export function useInbox({ tab, kind, level, device, q }: AlertFilter, devices: ReturnType<typeof useDevices>): Inbox {
  const known = devices.value?.devices;
  const asked: AlertQuery = {
    ...(tab === 'all' ? {} : { state: tab === 'todo' ? ['open', 'acknowledged'] : [tab] }),
    ...(kind && { kind }),
    ...(level && { level }),
    ...(device && { device: toAlertDeviceFilter(known?.find(({ deviceId }) => deviceId === device)) }),
    ...(q && { q }),
  };
  // The names of a device are known once the devices are.
  const isWaiting = device !== null && known === undefined;
  const key = JSON.stringify([isWaiting, asked]);
  const [wanted, setWanted] = useState({ key, rows: pageRows });
  const rows = wanted.key === key ? wanted.rows : pageRows;
  const loaded = useAlerts(`${key} ${rows}`, (signal) =>
    isWaiting ? new Promise<AlertPage>(() => {}) : loadRows(asked, rows, signal),
  );
  return { ...loaded, more: () => setWanted({ key, rows: rows + pageRows }) };
}

/** The first `rows` alerts, in as many requests as they need. */
async function loadRows(asked: AlertQuery, rows: number, signal: AbortSignal): Promise<AlertPage> {
  const limit = (count: number) => ({ limit: String(Math.min(mostRows, count)) });
  let page = await askAlerts({ ...asked, ...limit(rows) }, signal);
  const alerts = [...page.alerts];
  while (page.next !== null && alerts.length < rows) {
    page = await askAlerts({ ...asked, ...limit(rows - alerts.length), before: page.next }, signal);
    alerts.push(...page.alerts);
  }
  return { ...page, alerts };
}
