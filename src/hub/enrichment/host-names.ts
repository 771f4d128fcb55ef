// What followed logs said of LAN hosts within a day: a MAC address, a name. In memory, for hosts without a connection yet.
import type { Clock } from '#kernel/clock.ts';
import { ExpiringCache } from '#kernel/expiring-cache.ts';
import { dayMs } from '#kernel/time.ts';
import type { KnownHost } from '../devices/devices.ts';

const maxHosts = 10_000;

export interface HostNames {
  note(hosts: readonly KnownHost[]): void;
  get(address: string): KnownHost | undefined;
}

export function createHostNames(clock: Pick<Clock, 'now'>): HostNames {
  const known = new ExpiringCache<KnownHost>(clock, maxHosts, () => dayMs);
  return {
    note(hosts) {
      for (const { address, mac, name } of hosts) {
        const before = known.get(address);
        // Another card has the address now: what was known of it belongs to the card before.
        const same = mac !== null && before?.mac !== null && before?.mac !== mac ? undefined : before;
        known.set(address, { address, mac: mac ?? same?.mac ?? null, name: name ?? same?.name ?? null });
      }
    },
    get: (address) => known.get(address),
  };
}
