// Settings of the gate that it takes as they are; the tokens are words.

/** For the endpoint at this address, `https://NAME[:PORT]/mcp`. */
export function gateSettings(endpoint: string): Record<string, string> {
  return {
    MCP_GATE_ENDPOINT: endpoint,
    MCP_GATE_RESOURCE: endpoint,
    MCP_GATE_ISSUER: 'https://issuer.gatehouse.test',
    MCP_GATE_CONNECT_ADDRESS: '127.0.0.1',
    MCP_GATE_READ_SCOPE: 'network.read',
    MCP_GATE_WRITE_SCOPE: 'notes.write',
    MCP_GATE_DEPLOYED_COMMIT: '0'.repeat(40),
    MCP_GATE_AUDIT_DB_PATH: '/var/lib/gatehouse/audit.db',
    MCP_GATE_MONITOR_URL: 'http://127.0.0.1:9',
    MCP_GATE_MONITOR_TOKEN: 'monitor-token',
    MCP_GATE_READ_TOKEN: 'read-token',
    MCP_GATE_WRITE_TOKEN: 'write-token',
    MCP_GATE_EXPIRED_TOKEN: 'expired-token',
    MCP_GATE_WRONG_AUDIENCE_TOKEN: 'audience-token',
    MCP_GATE_REVOKED_EXPIRED_TOKEN: 'revoked-token',
  };
}
