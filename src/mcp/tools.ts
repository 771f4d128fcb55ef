// The table of tools, from which listing, dispatch, permissions and documentation are derived.
import type { ToolDefinition } from './tool.ts';
import { getAlerts } from './tools/alerts.ts';
import { getNewNodes, queryConnections } from './tools/connections.ts';
import { getDevices } from './tools/devices.ts';
import { getDeviceNotes, setDeviceNote } from './tools/notes.ts';
import { getThreatConnections, getThreatSummary } from './tools/threats.ts';
import { getDeviceTraffic, getTopDestinations, getTrafficSummary } from './tools/traffic.ts';

/** In the order of `tools/list`. */
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
