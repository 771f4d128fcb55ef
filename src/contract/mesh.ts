// The mesh access point: an optional source of names and of how wireless devices are connected (wire contract 4.3, 5.5).
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { wifi } from './devices.ts';

/** One box of the mesh. */
export const meshNode = z.object({
  id: z.string(),
  name: z.string(),
  mac: z.string(),
  /** `main` is the one with the way out; the others reach it by radio or cable. */
  role: z.enum(['main', 'satellite']),
  online: z.boolean(),
  /** Devices connected to it. */
  clients: z.int(),
});
export type MeshNode = z.output<typeof meshNode>;

export const meshClient = z.object({
  /** Lower-case colon form. */
  mac: z.string(),
  ip: z.string().nullable(),
  name: z.string().nullable(),
  deviceId: z.string().nullable(),
  ...wifi.shape,
});
export type MeshClient = z.output<typeof meshClient>;

export const meshNetwork = z.object({
  nodes: z.array(meshNode),
  clients: z.array(meshClient),
  /** When the access point was read last; null before. */
  updatedAt: z.int().nullable(),
});
export type MeshNetwork = z.output<typeof meshNetwork>;

/** `off` while none is set up. */
export const meshState = z.enum(['off', 'connecting', 'ready', 'failed']);
export type MeshState = z.output<typeof meshState>;

export const meshRoutes = {
  network: {
    method: 'GET',
    path: '/api/mesh',
    access: can('network.read'),
    summary: 'Nodes and wireless clients of the mesh access point, as it told them last',
    reply: {
      200: z.object({
        ...meshNetwork.shape,
        state: meshState,
        /** What to do when it failed. */
        message: z.string(),
      }),
    },
  },
} as const satisfies RouteTable<Access>;
