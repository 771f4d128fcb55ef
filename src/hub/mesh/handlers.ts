// Handler of the mesh access point.
import type { meshRoutes } from '#contract/mesh.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Mesh } from './mesh.ts';

export function meshHandlers<P>({ mesh }: { mesh: Mesh }): Handlers<typeof meshRoutes, P> {
  return { network: () => ({ ...mesh.network(), ...mesh.state() }) };
}
