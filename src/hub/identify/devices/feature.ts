// LAN devices as a feature.

import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { NewDevice } from '../../base/new-device.ts';
import type { Live } from '../../notify/live/live.ts';
import type { Observers } from '../../record/connections/store/observer-set.ts';
import type { EnrichmentFeature } from '../enrichment/feature.ts';
import type { Notes } from '../notes/notes.ts';
import { type Devices, type DevicesOptions, startDevices } from './devices.ts';
import { createDeviceHandlers } from './handlers.ts';

export type DevicesFeature = Devices & Feature<Pick<HubHandlers, 'devices'>>;

interface Peers extends Pick<DevicesOptions, 'sourceLabels' | 'onMade'> {
  enrichment: Pick<EnrichmentFeature, 'findVendor' | 'hostNames'>;
  live: Pick<Live, 'publish'>;
  observers: Observers;
  notes: Pick<Notes, 'all'>;
}

export function startDevicesFeature(
  { readers, signals, ...base }: Base,
  { enrichment, live, observers, notes, ...writers }: Peers,
): DevicesFeature {
  const devices = startDevices({
    ...base,
    ...writers,
    signals,
    findVendor: enrichment.findVendor,
    findName: (address) => enrichment.hostNames.get(address)?.name ?? null,
  });
  signals.on('deviceAppeared', (device) => {
    if (device.probably === null) {
      live.publish('new-device', toNewDeviceEvent(device));
    }
  });
  const { clock } = base;
  const handlers = createDeviceHandlers({ devices, reads: readers.reads, clock, notes, observers });
  return { ...devices, handlers: { devices: handlers } };
}

function toNewDeviceEvent({ deviceId, address, mac, vendor, dnsName, mdnsName, firstSeen }: NewDevice) {
  const labels = { srcMac: mac, srcVendor: vendor, srcDnsName: dnsName, srcMdnsName: mdnsName };
  return { src: address, ...labels, srcDeviceId: deviceId, firstSeen };
}
