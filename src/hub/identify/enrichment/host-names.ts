// MAC addresses and names of LAN hosts from followed logs, cached for a day: for hosts without a connection yet.
import type { Clock } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { KnownHost } from '../devices/devices.ts';

const maxHosts = 10_000;

export type HostNames = ReturnType<typeof createHostNames>;

export function createHostNames(clock: Pick<Clock, 'now'>) {
  const known = new ExpiringCache<KnownHost>(clock, maxHosts, () => dayMs);
  return {
    note(hosts: readonly KnownHost[]) {
      for (const { address, mac, name } of hosts) {
        const before = known.get(address);
        // The address has another card now: the name belongs to the previous one.
        const same = mac !== null && before?.mac !== null && before?.mac !== mac ? undefined : before;
        known.set(address, { address, mac: mac ?? same?.mac ?? null, name: name ?? same?.name ?? null });
      }
    },
    get: (address: string) => known.get(address),
  };
}
