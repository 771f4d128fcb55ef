// The mesh access point as a feature.

import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { Live } from '../../notify/live/live.ts';
import { type Mesh, startMesh } from './mesh.ts';

export type MeshFeature = Mesh & Feature<Pick<HubHandlers, 'mesh'>>;

export function startMeshFeature(
  { settings, clock, log }: Base,
  { devices, live }: { devices: Devices; live: Live },
): MeshFeature {
  const mesh = startMesh({
    document: settings,
    devices,
    clock,
    log,
    onNetwork: (network) => live.publish('network-update', network),
  });
  return {
    ...mesh,
    handlers: { mesh: { network: () => ({ ...mesh.network(), ...mesh.state() }) } },
    status: () => ({ routerIp: settings.current().mesh?.ip ?? '' }),
  };
}
