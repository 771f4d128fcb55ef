// English of data sources, detection and the allow list, for en.ts. Forms are named after the members that they save.
import { many } from '../plural.ts';

const log = {
  enabled: 'Follow this log',
  logFile: 'File',
  logFileHelp: 'Below /var/log, or below a folder of MONITOR_LOG_PATH_PREFIXES.',
} as const;
const channels = { chat: 'Send to the chat', history: 'Keep in the log and show as alert' } as const;

export const en = {
  sources: {
    logs: 'Logs that are followed',
    logsHelp: 'The hub reads these files while other programs write them. It learns names and devices from them.',
    dns: { title: 'Name server', help: 'The query log of dnsmasq or Pi-hole (log-queries).', ...log },
    inspect: { title: 'Packet inspection', help: 'Dynamic filters of Yamaha RTX, or the EVE log of Suricata.', ...log },
    dhcp: { title: 'DHCP server', help: 'Leases of Yamaha RTX, dnsmasq or ISC dhcpd.', ...log },
    states: { off: 'Off', waiting: 'Waits for the file', following: 'Followed', failed: 'Failed' },
    lines: (count: number, understood: string, all: string) =>
      `${understood} of ${all} ${many(count, 'line', 'lines')} understood`,
    lastLine: (age: string) => `last line ${age}`,
  },
  lookUps: {
    title: 'Look-ups beyond the hub',
    help: 'Each tells others which addresses the devices of this network talk to. All are off until you switch them on.',
    ptr: {
      title: 'Names of addresses (PTR)',
      help: 'The addresses go to a name server, which may pass them on to others.',
      enabled: 'Ask for names',
      resolver: 'Name server',
      resolverHelp: 'Address, or address:port. If it is empty, MONITOR_INTERNAL_DNS is used.',
    },
    rdap: {
      title: 'Owners of addresses (RDAP)',
      help: 'The addresses go to the registries of the Internet and those they refer to.',
      enabled: 'Ask for owners',
      bootstrapUrl: 'Where the list of registries is',
      bootstrapUrlHelp: 'The https folder of ipv4.json and ipv6.json (RFC 9224).',
    },
    geo: {
      title: 'Places of addresses',
      help: 'The addresses go to the location service that you choose.',
      enabled: 'Ask for places',
      url: 'Address of the service',
      urlHelp: 'An https address with {ip} where the address goes.',
      token: 'Token',
      tokenHelp: 'Sent as a bearer token. For another host, enter it again.',
      clearToken: 'Delete the stored token',
    },
  },
  mesh: {
    title: 'Mesh access point',
    help: 'It tells the names of wireless devices, and which box each is connected to.',
    states: { off: 'Not set up', connecting: 'Connecting', ready: 'Connected', failed: 'Failed' },
    nodes: (count: number, shown: string) => `${shown} ${many(count, 'box', 'boxes')}`,
    routerIp: 'Address',
    routerIpHelp: 'A private address, or address:port.',
    username: 'Login name',
    usernameHelp: 'If it is empty, the stored name or "admin" is used.',
    password: 'Password',
    passwordHelp: 'For another address, enter it again.',
    submit: 'Log in and save',
    off: 'Stop using it',
    offTitle: 'Stop using the mesh access point?',
    offHelp: 'Its address and password are deleted. What it told before is kept.',
  },
  channels: {
    title: 'Where detections go',
    help: 'The chat needs a workspace, which is set up under Chat.',
    threat: { title: 'Known-bad destinations', ...channels },
    newDevice: { title: 'New devices', ...channels },
    beacon: { title: 'Regular beacons', ...channels },
    retroMatch: { title: 'Contacted before it was listed', ...channels },
  },
  beacons: {
    title: 'Regular beacons',
    help: 'Programs that report to somebody often do so at regular intervals. Saving starts a search at once.',
    enabled: 'Look for them',
    minObs: 'Contacts that are needed',
    maxCov: 'Largest variation of the interval (0 to 2)',
    maxCovHelp: 'The standard deviation divided by the mean. 0 is exactly regular.',
    minIntervalMs: 'Shortest interval in seconds',
    maxIntervalMs: 'Longest interval in minutes',
    scanIntervalMs: 'Minutes between two searches',
    whitelistDomains: 'Harmless names, one per line',
    whitelistDomainsHelp: 'Names below them are harmless too.',
    orgAllowlist: 'Harmless organisations, one per line',
    orgAllowlistHelp: 'A part of the name is enough.',
  },
  beaconTrial: {
    begin: 'Try on the stored days',
    help: 'The trial runs the searches again over what is stored, with the fields above. It saves nothing and tells nobody.',
    found: (given: string, saved: string, both: string) =>
      `Beacons told with these settings: ${given}. With the saved ones: ${saved}. With both: ${both}.`,
    period: (from: string, to: string, flows: string) =>
      `Looked at: ${from} to ${to}. Connections that came back: ${flows}. Their times are stored for seven days. Names, organisations and threat lists are those of now.`,
    dismissed: (count: string) => `Dismissed connections, which are not told: ${count}.`,
    nothingStored: 'No times of connections are stored yet, so there is nothing to try the settings on.',
    none: 'Neither these settings nor the saved ones would have told anything.',
    givenOnly: 'only with these settings',
    savedOnly: 'only with the saved settings',
    both: 'with both',
    truncated: (count: string) => `The newest ${count} are shown.`,
  },
  allow: {
    title: 'Allow list',
    help: 'What is listed here raises no alert, whatever the threat lists say.',
    allowList: 'Addresses, ranges or names, one per line',
    added: (address: string) => `${address} was added below. It is allowed when you save.`,
    known: (address: string) => `${address} is already in the list.`,
  },
} as const;
