// MCP specification: the tools and what they return.
import { type Requirement, stated } from './requirement.ts';

export const mcpTools: readonly Requirement[] = [
  ...stated(2, '1', {
    'mcp.tools.combinable': 'an assistant picks tools itself and may combine several calls',
    'mcp.tools.via-rest': 'tools make REST calls to the monitoring service, local or remote',
    'mcp.tools.eleven': 'the server has 11 tools',
  }),
  ...stated(2, '1, 9', {
    'mcp.tools.one-definition': 'one tool definition serves both protocol eras',
  }),
  ...stated(2, '2 Tools', {
    'mcp.tools.get-threat-summary': 'get_threat_summary returns safe, warn and danger session counts for a period',
    'mcp.tools.get-traffic-summary':
      'get_traffic_summary returns total sessions, unique destinations and unique devices',
    'mcp.tools.get-top-destinations': 'get_top_destinations ranks destinations by session count',
    'mcp.tools.get-top-destinations-fields': 'get_top_destinations gives country, organisation and threat level',
    'mcp.tools.get-device-traffic': 'get_device_traffic returns traffic per device',
    'mcp.tools.get-device-traffic-src': "get_device_traffic with a src IP returns that device's top destinations",
    'mcp.tools.get-new-nodes': 'get_new_nodes returns devices and destinations first seen in the period',
    'mcp.tools.get-threat-connections': 'get_threat_connections returns destinations flagged as threats',
    'mcp.tools.get-threat-connections-confidence': 'get_threat_connections filters by confidence low or high',
    'mcp.tools.get-threat-connections-feeds': 'a threat is flagged by one of four public threat feeds',
    'mcp.tools.query-connections': 'query_connections searches the connection log with src and dst filters',
    'mcp.tools.period-values': 'time-window tools accept period 1h, 6h, 24h, 7d, 14d',
    'mcp.tools.period-default': 'period defaults to 24h',
    'mcp.tools.no-period': 'get_devices, get_device_notes and set_device_note do not use period',
    'mcp.tools.get-alerts': 'get_alerts returns detection-log entries: threats, new devices, beacons',
    'mcp.tools.get-devices': 'get_devices returns all known LAN devices with MAC, vendor, status, last-seen',
    'mcp.tools.get-device-notes-all': 'get_device_notes without src returns all devices that have notes',
    'mcp.tools.get-device-notes-src': 'get_device_notes with a src IP returns one device',
    'mcp.tools.set-device-note': 'set_device_note sets or updates a note by src IP',
    'mcp.tools.set-device-note-delete': 'set_device_note with an empty string deletes the note',
    'mcp.tools.notes-file': 'notes are stored in .monitor.notes.json, not in the main database',
  }),
  ...stated(2, '2 Tools, 5', {
    'mcp.tools.write-hidden': 'a read-only token does not see set_device_note in the tool list',
  }),
];
