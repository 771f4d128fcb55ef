// The mesh access point as a feature.
import type { Base, Feature, HandlersOf } from '../feature.ts';
import type { Live } from '../live/live.ts';
import { meshHandlers } from './handlers.ts';
import { type Mesh, type MeshOptions, startMesh } from './mesh.ts';

export type MeshFeature = Mesh & Feature<HandlersOf<'mesh'>>;

interface Peers extends Pick<MeshOptions, 'devices'> {
  live: Pick<Live, 'publish'>;
}

export function startMeshFeature({ settings, clock, log }: Base, { devices, live }: Peers): MeshFeature {
  const mesh = startMesh({
    document: settings,
    devices,
    clock,
    log,
    onNetwork: (network) => live.publish('network-update', network),
  });
  return {
    ...mesh,
    handlers: { mesh: meshHandlers({ mesh }) },
    status: () => ({ routerIp: settings.current().mesh?.ip ?? '' }),
  };
}
