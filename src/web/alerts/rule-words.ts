// A rule in words.
import type { Reply } from '../api/client.ts';
import { type Device, deviceName, findDeviceOfAlert } from '../devices/names.ts';
import { alertKind } from '../parts/alert-words.ts';
import { isolateName, joinWithDots } from '../parts/outside.ts';
import { showTarget } from '../parts/ports.ts';
import { words } from '../text/alerts/words.ts';
import { dateTime } from '../text/format.ts';

export type Rule = Reply<'GET /api/alert-rules'>['rules'][number];

export function describeRule({ scope, kind, target, device }: Rule, devices: readonly Device[] | undefined): string {
  const t = words.value.rules.scopes;
  // A rule names a device by its MAC address, or by its address.
  const found =
    device === null
      ? undefined
      : (findDeviceOfAlert(devices, { src: device, srcMac: device }) ??
        findDeviceOfAlert(devices, { src: device, srcMac: null }));
  const name = found ? deviceName(found) : device;
  const shown = showTarget(target ?? '');
  switch (scope) {
    case 'alert':
      return t.alert(joinWithDots([kind && alertKind(kind), shown, name]));
    case 'device':
      return t.device(isolateName(shown), isolateName(name ?? ''));
    case 'network':
      return t.network(isolateName(shown));
  }
}

/** When it ends by itself. */
export function describeEnd(until: number | null): string {
  const t = words.value.rules;
  return until === null ? t.forGood : t.until(dateTime(until));
}
