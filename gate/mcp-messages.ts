// MCP requests of both protocol eras. They are written by hand, independently of the server under test.
import { packageVersion } from '#kernel/process/version.ts';
import type { Ask } from './target.ts';

export const legacyEra = '2025-11-25';
export const modernEra = '2026-07-28';

/** Every tool, sorted (docs/reference/mcp-server.md#tools). */
export const toolNames = [
  'get_alerts',
  'get_device_notes',
  'get_device_traffic',
  'get_devices',
  'get_new_nodes',
  'get_threat_connections',
  'get_threat_summary',
  'get_top_destinations',
  'get_traffic_summary',
  'query_connections',
  'set_device_note',
] as const;

const clientInfo = () => ({ name: 'gatehouse-gate', version: packageVersion() });

export function initialize(): Ask {
  const params = { protocolVersion: legacyEra, capabilities: {}, clientInfo: clientInfo() };
  return { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } };
}

export function legacy(method: string, params: Record<string, unknown> = {}): Ask {
  return {
    method: 'POST',
    headers: { 'mcp-protocol-version': legacyEra },
    body: { jsonrpc: '2.0', id: 1, method, params },
  };
}

/** Ends the session `id` of era 2025-11-25. A server that lets no client end one answers 405. */
export function endSession(id: string): Ask {
  return { method: 'DELETE', headers: { 'mcp-protocol-version': legacyEra, 'mcp-session-id': id } };
}

/** A stateless request with its metadata. `version` goes into header and body, which must agree. */
export function modern(method: string, params: Record<string, unknown> = {}, version = modernEra): Ask {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': clientInfo(),
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    method: 'POST',
    headers: { 'mcp-protocol-version': version, 'mcp-method': method, ...name },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
  };
}

export function callTool(name: string, args: Record<string, unknown>): Ask {
  return modern('tools/call', { name, arguments: args });
}
