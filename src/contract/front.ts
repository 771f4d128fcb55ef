// What somebody finds who opens the address of the hub.
import { z } from 'zod';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, open } from './access.ts';

const html = {
  method: 'GET',
  access: open,
  /** The page reads its parameters itself: they are what a view shows. */
  query: z.looseObject({}),
  /** 308: the address ends with a slash, from which the relative addresses of the page would lead elsewhere. */
  reply: { 200: z.string(), 308: z.null() },
  media: ['text/html', 'text/plain'],
} as const;

/** The page of the web UI is the same at each of its paths: what it shows follows from the path. */
export const frontRoutes = {
  page: { ...html, path: '/', summary: 'The overview of the web UI; in words where to go, for who takes no HTML' },
  connections: { ...html, path: '/connections', summary: 'The log of connections in the web UI' },
  map: { ...html, path: '/map', summary: 'The pictures of the network in the web UI' },
  devices: { ...html, path: '/devices', summary: 'The devices in the web UI' },
  device: {
    ...html,
    path: '/devices/:id',
    params: z.object({
      id: z.string().max(128, 'must be at most 128 characters').describe('Id of the device, or an address of it'),
    }),
    summary: 'One device in the web UI',
  },
  act: { ...html, path: '/act', summary: 'The page behind the link of a message, which acts on one alert' },
  alerts: { ...html, path: '/alerts', summary: 'The alerts in the web UI' },
  insights: { ...html, path: '/insights', summary: 'The insights in the web UI' },
  docs: { ...html, path: '/docs', summary: 'The reference of this API in the web UI' },
  settings: { ...html, path: '/settings', summary: 'The settings in the web UI' },
} as const satisfies RouteTable<Access>;

/** Ways to a credential, for who has none. */
export const credentialHelp =
  'X-Admin-Token takes the admin token, which the first start shows on a terminal or leaves in the file ' +
  'initial-admin-token of the data folder, or the token of an API identity; a browser logs in with POST /api/auth/login; ' +
  'gatehouse reset-token makes a new admin token';
