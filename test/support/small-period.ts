// A period of one router, one Agent and two connections.
import type { Period } from '#capture/period.ts';

export function smallPeriod(): Period {
  const seen: [number, number, number][] = [[60_000, 120_000, 2]];
  const shared = { proto: 'TCP', sport: 50_211, by: [0], seen } as const;
  const unknown = { process: null, pid: null, bytesIn: null, bytesOut: null };
  return {
    header: {
      format: 'gatehouse-period',
      version: 1,
      from: '2026-03-01T03:00:00.000Z',
      to: '2026-03-01T04:00:00.000Z',
      anonymised: false,
      observers: [
        { kind: 'vendor_a', name: 'attic' },
        { kind: 'agent', name: 'lodger', platform: 'linux', osVersion: '6.12', agentVersion: '1.0.0' },
      ],
    },
    hosts: [{ host: '192.168.100.23', mac: '00:00:5e:00:53:01', name: 'den-pc' }],
    connections: [
      { ...shared, ...unknown, by: [0], seen, src: '192.168.100.23', dst: '203.0.113.80', dport: 443, ttl: 893 },
      {
        ...shared,
        by: [1],
        seen,
        src: '2001:db8:64::7',
        dst: '2001:db8:97::1',
        dport: 443,
        ttl: null,
        process: 'browser',
        pid: 4211,
        bytesIn: '1000',
        bytesOut: '18446744073709551615',
      },
    ],
  };
}
