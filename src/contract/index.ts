// `api`: every route of the hub. Its key order is the order of the reference.
import { agentRoutes } from './agents.ts';
import { aiRoutes } from './ai.ts';
import { alertRoutes } from './alerts.ts';
import { authRoutes } from './auth.ts';
import { backupRoutes } from './backup.ts';
import { beaconRoutes } from './beacons.ts';
import { blockListRoutes } from './block-list.ts';
import { chatRoutes } from './chat.ts';
import { configRoutes } from './config.ts';
import { connectionRoutes } from './connections.ts';
import { coverageRoutes } from './coverage.ts';
import { destinationRoutes } from './destinations.ts';
import { detectionRoutes } from './detection.ts';
import { detectionPreviewRoutes } from './detection-preview.ts';
import { deviceRoutes, noteRoutes } from './devices.ts';
import { diagnosticsRoutes } from './diagnostics.ts';
import { eventRoutes } from './events.ts';
import { frontRoutes } from './front.ts';
import { healthRoutes } from './health.ts';
import { meshRoutes } from './mesh.ts';
import { privacyRoutes } from './privacy.ts';
import { routerRoutes } from './routers.ts';
import { statusRoutes } from './status.ts';
import { threatRoutes } from './threat.ts';

export const api = {
  front: frontRoutes,
  auth: authRoutes,
  agents: agentRoutes,
  routers: routerRoutes,
  connections: connectionRoutes,
  coverage: coverageRoutes,
  ai: aiRoutes,
  detection: { ...detectionRoutes, ...detectionPreviewRoutes },
  alerts: alertRoutes,
  beacons: beaconRoutes,
  chat: chatRoutes,
  destinations: destinationRoutes,
  config: configRoutes,
  threat: threatRoutes,
  blockList: blockListRoutes,
  devices: deviceRoutes,
  notes: noteRoutes,
  mesh: meshRoutes,
  privacy: privacyRoutes,
  backup: backupRoutes,
  events: eventRoutes,
  health: healthRoutes,
  status: statusRoutes,
  diagnostics: diagnosticsRoutes,
} as const;

export type Api = typeof api;

export const groupDescriptions: Readonly<Record<keyof Api, string>> = {
  front: 'What somebody finds who opens the address of the hub',
  auth: 'Login, sessions, API identities, the issuer for single sign-on, and the audit trail',
  agents: 'Endpoint Agents: enrolment, inventory, and what they deliver',
  routers: 'The routers that are read, and how their reading goes',
  connections: 'The log of connections: list, summary, threats, export',
  coverage: 'How much of a period was observed, and why not all of it',
  ai: 'Insights: what is computed from the log alone',
  detection: 'What was detected, and who is told',
  alerts: 'Detections by cause: what needs a look, what was done about it, and what stays quiet',
  beacons: 'Contacts that repeat at regular intervals',
  chat: 'The chat workspace that alerts go to',
  destinations: 'Other destinations that are told of events, and what they were told',
  config: 'General settings, followed logs, look-ups beyond the hub, and whether the MCP server answers',
  threat: 'Threat feeds, their settings, and manual look-ups at reputation services',
  blockList: 'What a router or a resolver is to block, as a list that it fetches: the hub changes nothing itself',
  devices: 'The devices of the network, and which of them are one',
  notes: 'Notes that people write about devices',
  mesh: 'The wireless network, as its access point tells it',
  privacy: 'Devices whose destinations are not kept: the rules, the counts, the erasure',
  backup: 'Copies of the database: made, verified, restored, deleted',
  events: 'Live updates',
  health: 'Health of the process',
  status: 'The hub about itself',
  diagnostics: 'What helps to find a fault, and what to do about it',
};
