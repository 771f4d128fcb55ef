// What runs on the simulated machines, and where it connects to: addresses of documentation alone (RFC 5737, RFC 3849).

export interface Program {
  name: string;
  protocol: 'tcp' | 'udp';
  port: number;
  weight: number;
  /** Most bytes that one connection receives. `bytesOut` is what it sends. */
  bytesIn: number;
  bytesOut: number;
}

const program = (name: string, weight: number, port: number, bytesIn: number, bytesOut: number): Program => ({
  name,
  protocol: port === 53 || port === 123 || port === 51820 ? 'udp' : 'tcp',
  port,
  weight,
  bytesIn,
  bytesOut,
});

/** Twelve; the first one is the beacon, which connects every five minutes and at no other time. */
export const programs: readonly [Program, ...Program[]] = [
  program('telemetryd', 0, 443, 900, 2_000),
  program('browser', 40, 443, 40_000_000, 900_000),
  program('mail', 12, 993, 3_000_000, 200_000),
  program('resolver', 14, 53, 600, 200),
  program('music', 8, 443, 90_000_000, 300_000),
  program('chat', 9, 443, 800_000, 400_000),
  program('backupd', 4, 443, 60_000, 2_000_000_000),
  program('sync', 5, 22_000, 30_000_000, 30_000_000),
  program('timed', 3, 123, 100, 100),
  program('updater', 2, 80, 400_000_000, 90_000),
  program('editor', 2, 443, 500_000, 70_000),
  program('vpn', 1, 51_820, 300_000_000, 90_000_000),
];

/** Ordered by how often they are picked. */
export const destinations: readonly string[] = Array.from({ length: 64 }, (_, index) => {
  const host = 10 + index * 3;
  const ranges = [`203.0.113.${host}`, `198.51.100.${host}`, `192.0.2.${host}`, `2001:db8:${host.toString(16)}::1`];
  return ranges[index % ranges.length] ?? '';
});

export const beaconDestination = '203.0.113.250';
