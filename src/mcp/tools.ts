// The table of tools: everything that is served, listed, refused or documented is derived from it.
import type { ToolDefinition } from './tool.ts';
import { getAlerts } from './tools/alerts.ts';
import { getNewNodes, queryConnections } from './tools/connections.ts';
import { getDevices } from './tools/devices.ts';
import { getDeviceNotes, setDeviceNote } from './tools/notes.ts';
import { getThreatConnections, getThreatSummary } from './tools/threats.ts';
import { getDeviceTraffic, getTopDestinations, getTrafficSummary } from './tools/traffic.ts';

/** In the order in which they are listed. */
export const tools: readonly ToolDefinition[] = [
  getThreatSummary,
  getTrafficSummary,
  getTopDestinations,
  getDeviceTraffic,
  getNewNodes,
  getThreatConnections,
  getAlerts,
  getDevices,
  queryConnections,
  getDeviceNotes,
  setDeviceNote,
];
