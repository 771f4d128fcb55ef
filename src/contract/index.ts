// `api`: every route of the hub. Its key order is the order of the reference.
import { authRoutes } from './auth.ts';
import { beaconRoutes } from './beacons.ts';
import { chatRoutes } from './chat.ts';
import { configRoutes } from './config.ts';
import { connectionRoutes } from './connections.ts';
import { detectionRoutes } from './detection.ts';
import { deviceRoutes, noteRoutes } from './devices.ts';
import { eventRoutes } from './events.ts';
import { frontRoutes } from './front.ts';
import { healthRoutes } from './health.ts';
import { meshRoutes } from './mesh.ts';
import { routerRoutes } from './routers.ts';
import { statusRoutes } from './status.ts';
import { threatRoutes } from './threat.ts';

export const api = {
  front: frontRoutes,
  auth: authRoutes,
  routers: routerRoutes,
  connections: connectionRoutes,
  detection: detectionRoutes,
  beacons: beaconRoutes,
  chat: chatRoutes,
  config: configRoutes,
  threat: threatRoutes,
  devices: deviceRoutes,
  notes: noteRoutes,
  mesh: meshRoutes,
  events: eventRoutes,
  health: healthRoutes,
  status: statusRoutes,
} as const;

export type Api = typeof api;
