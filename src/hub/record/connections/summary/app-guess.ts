// Guesses the application of a flow by protocol and port; for the guess `web`, callers ask again with the host name.

/** A port stands in one row only, so the order is free. */
const byPort: readonly (readonly [app: string, ports: readonly number[]])[] = [
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
  byPort.flatMap(([app, ports]) => ports.map((port) => [port, app] as const)),
);

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

/** Every possible guess. Millions of flows store the index, one byte, instead of the name. */
export const apps: readonly string[] = [
  ...new Set(['web', 'ping', 'other', ...byPort.map(([app]) => app), ...appByLabel.values()]),
];
const indexByApp: ReadonlyMap<string, number> = new Map(apps.map((app, index) => [app, index]));

/** Returns an index in {@link apps}. */
export function guessApp(dport: number, proto: string): number {
  return indexByApp.get(guessByPort(dport, proto)) as number;
}

/** Returns an index in {@link apps} for a flow that {@link guessApp} takes for `web`. */
export function guessWebApp(host: string | null): number {
  return indexByApp.get(guessByHost(host) ?? 'web') as number;
}

function guessByPort(dport: number, proto: string): string {
  if (proto.startsWith('ICMP')) {
    return 'ping';
  }
  return proto === 'TCP' || proto === 'UDP' ? (appByPort.get(dport) ?? 'other') : 'other';
}

/** The guess by the first label of a host name; null when the label says nothing. */
function guessByHost(host: string | null): string | null {
  const [label = ''] = (host ?? '').toLowerCase().split('.', 1);
  return appByLabel.get(label.replace(/\d+$/, '')) ?? null;
}
