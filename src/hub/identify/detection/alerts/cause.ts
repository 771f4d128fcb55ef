import type { Detected, Labels } from '../detection-log.ts';

export type Cause = ReturnType<typeof toCause>;

/** What rules call a device: its MAC address, or its address where no MAC address is known. */
export function toDeviceKey({ src }: Pick<Detected, 'src'>, { srcMac }: Pick<Labels, 'srcMac'>): string {
  return srcMac ?? src;
}

/** migrations/026-alert.sql has the same rule as SQL for detections of before. */
export function toCause(detected: Detected, labels: Labels) {
  const { type: kind, dst, dport, threat } = detected;
  const target = dst === undefined ? null : (labels.dstHost ?? `${dst} ${dport}`).toLowerCase();
  const device = kind === 'new_device' || kind === 'beacon' ? toDeviceKey(detected, labels) : null;
  return {
    /** Identifies the alert. */
    cause: [kind, target, device].filter((part) => part !== null).join('|'),
    kind,
    /** Name of the destination in lower case, else its address and port; null without a destination. */
    target,
    /** The device, of kinds with one alert per device; null: one alert has all devices. */
    device,
    /** 0: info, 1: warn, 2: danger. */
    level: threat?.confidence === 'high' ? 2 : kind === 'new_device' ? 0 : 1,
  };
}
