// Guesses the application of a flow by protocol and port. For the guess `web`, callers ask again with the host name.

const portsByApp: readonly (readonly [app: string, ports: readonly number[]])[] = [
  ['web', [80, 443, 8080, 8443]],
  ['dns', [53, 853]],
  ['time', [123]],
  ['mail', [25, 110, 143, 465, 587, 993, 995]],
  ['remote access', [22, 23, 3389, 5900]],
  ['files', [20, 21, 445, 873, 2049]],
  ['iot', [1883, 8883, 5683]],
  ['calls', [3478, 3479, 5060, 5061, 5349, 19_302]],
  ['push', [5222, 5223, 5228]],
  ['vpn', [500, 1194, 4500, 51_820]],
  ['streaming', [554, 1935]],
  ['peer to peer', [6881, 6882, 6883, 6884, 6885, 6886, 6887, 6888, 6889]],
];

const appByPort: ReadonlyMap<number, string> = new Map(
  portsByApp.flatMap(([app, ports]) => ports.map((port) => [port, app] as const)),
);

/** By the first label of a host name, without digits at its end. */
const appByLabel: ReadonlyMap<string, string> = new Map([
  ['mail', 'mail'],
  ['imap', 'mail'],
  ['smtp', 'mail'],
  ['dns', 'dns'],
  ['doh', 'dns'],
  ['ntp', 'time'],
  ['mqtt', 'iot'],
  ['stun', 'calls'],
  ['turn', 'calls'],
  ['push', 'push'],
  ['vpn', 'vpn'],
  ['video', 'streaming'],
  ['stream', 'streaming'],
]);

/** Every possible guess. Millions of flows hold an index in this list, one byte, instead of the name. */
export const apps: readonly string[] = [
  ...new Set(['web', 'ping', 'other', ...portsByApp.map(([app]) => app), ...appByLabel.values()]),
];
const indexByApp: ReadonlyMap<string, number> = new Map(apps.map((app, index) => [app, index]));

/** Returns an index in {@link apps}. */
export function guessApp(dport: number, proto: string): number {
  const hasPort = proto === 'TCP' || proto === 'UDP';
  const app = proto.startsWith('ICMP') ? 'ping' : hasPort ? appByPort.get(dport) : undefined;
  return indexByApp.get(app ?? 'other') as number;
}

/** Returns an index in {@link apps} for a flow to `host` that {@link guessApp} takes for `web`. */
export function guessWebApp(host: string | null): number {
  const [label = ''] = (host ?? '').toLowerCase().split('.', 1);
  return indexByApp.get(appByLabel.get(label.replace(/\d+$/, '')) ?? 'web') as number;
}
