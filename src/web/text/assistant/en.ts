// English of connecting an AI assistant. Every other language has the same keys, and functions with the same parameters.
import type { Same } from '../en.ts';

export const en = {
  about: 'An AI assistant can ask this hub through the MCP server, which is a program of its own: "gatehouse mcp".',
  needsToken: 'It needs the token of an API identity with two permissions: read connections, and write notes.',
  makeToken: 'Make an API identity',
  configuration: 'Connect an assistant',
  way: 'How the assistant reaches the MCP server',
  ways: {
    program: 'It starts the program on its own machine (stdio)',
    token: 'Over HTTP, with a token',
    oauth: 'Over HTTP, with OAuth',
  },
  wayHelp: {
    program: 'Gatehouse must be installed on the machine of the assistant. Nothing listens there.',
    token:
      'Clients send the secret MCP_TOKEN of the MCP server. The token of the API identity stays with the MCP server, and must have exactly the two permissions.',
    oauth:
      'Clients get their tokens from your authorization server. The token of the API identity stays with the MCP server, and must have exactly the two permissions.',
  },
  placeholder: (name: string) => `Replace ${name} by the secret itself.`,
  folder: 'Folder of Gatehouse on that machine',
  folderHelp: 'The whole path of the folder that contains bin/gatehouse.js.',
  server: 'Address of the MCP server',
  serverHelp: 'It ends with /mcp. Without a proxy, the MCP server listens on its own machine only.',
  clients: {
    desktop: 'Claude Desktop: claude_desktop_config.json',
    connector: 'Claude Desktop: address of a custom connector',
    code: 'Claude Code: command',
    inspector: 'MCP Inspector: command',
    rest: 'Plain HTTP without MCP: curl asks the API of the hub',
    curl: 'Plain HTTP: curl asks the MCP server',
    server: 'MCP server: line of its private file',
  },
  noDesktop: 'Claude Desktop sends no token over HTTP. Let it start the program, or use OAuth.',
  connectorHelp: 'A connector calls from the internet: the address must be public, and pass the gate first.',
  check: 'Check the MCP server',
  checkHelp: 'The hub sends one request without a token. The MCP server must refuse it.',
  authentications: {
    token: 'It asks for MCP_TOKEN: choose "with a token".',
    oauth: 'It asks for a login: choose "with OAuth".',
  },
  states: {
    reachable: 'Reachable: the MCP server answers the hub.',
    refused:
      'Not reachable: nothing listens there. Start "gatehouse mcp" with MCP_PORT, or correct the address. It listens on 127.0.0.1 unless MCP_BIND_ADDRESS is set.',
    unknown_name: 'Not reachable: the hub does not find this name. Correct it, or type the IP address.',
    no_answer: 'Not reachable: no answer came. Check that the machine is on, and that no firewall blocks the port.',
    tls: 'Not reachable: there is no trusted TLS connection. Check the certificate, and whether the address starts with http or https.',
    name_refused:
      'It answers, but refuses this host name. Name the proxy in MCP_TRUST_PROXY. With OAuth, use the address of MCP_OAUTH_RESOURCE.',
    not_serving: 'A proxy or the MCP server answers that it cannot work now. Read the log of the MCP server.',
    other_service:
      'Not reachable: something else answers there. Check the port, and that the proxy passes /mcp to the MCP server.',
    offline:
      'Not checked: in offline mode, the hub asks only addresses of its own network. Type the IP address instead of a name.',
  },
} as const;

export type AssistantDictionary = Same<typeof en>;
