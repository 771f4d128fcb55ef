// The mesh access point: an optional source of names and of how wireless devices are connected. Rules:
// docs/reference/wire-contract/4-endpoints.md#older-set-up-flow, and `network-update` of
// docs/reference/wire-contract/5-behaviours.md#55-live-updates.
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { wifi } from './devices.ts';
import { messageFacts } from './facts.ts';

export const meshNode = z.object({
  id: z.string(),
  name: z.string(),
  mac: z.string(),
  role: z
    .enum(['main', 'satellite'])
    .describe('main is the one with the way out; the others reach it by radio or cable'),
  online: z.boolean(),
  clients: z.int().describe('Devices connected to it'),
});
export type MeshNode = z.output<typeof meshNode>;

export const meshClient = z.object({
  mac: z.string().describe('Lower-case colon form'),
  ip: z.string().nullable(),
  name: z.string().nullable(),
  deviceId: z.string().nullable(),
  ...wifi.shape,
});
export type MeshClient = z.output<typeof meshClient>;

export const meshNetwork = z.object({
  nodes: z.array(meshNode),
  clients: z.array(meshClient),
  updatedAt: z.int().nullable().describe('When the access point was read last; null before'),
});
export type MeshNetwork = z.output<typeof meshNetwork>;

/** `off` while none is set up. */
export const meshState = z.enum(['off', 'connecting', 'ready', 'failed']);
export type MeshState = z.output<typeof meshState>;

export const meshRoutes = {
  network: get('/api/mesh', can('network.read'), {
    summary: 'Nodes and wireless clients of the mesh access point, as it told them last',
    reply: {
      200: z.object({
        ...meshNetwork.shape,
        state: meshState,
        message: z.string().describe('What to do when it failed'),
        messageFacts,
      }),
    },
  }),
} as const satisfies RouteTable<Access>;
