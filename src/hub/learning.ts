// What followed logs tell goes to destinations, sources and the connection log.
import type { Clock } from '#kernel/clock.ts';
import type { SourceFacts } from './connections/store/facts.ts';
import type { Observation } from './connections/store/observation.ts';
import type { DataSourcesOptions } from './data-sources/data-sources.ts';
import type { Finding, HostFinding, NameFinding, SessionFinding } from './data-sources/findings.ts';
import type { Devices, KnownHost } from './devices/devices.ts';
import type { Enrichment } from './enrichment/enrichment.ts';
import { createRecent } from './enrichment/recent.ts';
import type { PollerOptions } from './routers/poller.ts';
import type { Registry } from './routers/registry.ts';

export interface LearningOptions {
  clock: Clock;
  enrichment: Enrichment;
  registry: Registry;
  record: PollerOptions['record'];
  /** Told of hosts of the LAN: leases with their MAC, names that a resolver or DHCP server knows. */
  hearOf: Devices['hearOf'];
}

export interface Learning {
  onFindings: DataSourcesOptions['onFindings'];
  /** Of a host told of before its first connection. */
  describeSource(address: string): SourceFacts | null;
}

const hostsKept = 10_000;
const hostKeptMs = 86_400_000;

export function createLearning({ clock, enrichment, registry, record, hearOf }: LearningOptions): Learning {
  const known = createRecent<KnownHost>(clock, hostsKept, hostKeptMs);

  const learnHosts = async (hosts: readonly HostFinding[]) => {
    for (const { address, mac, name } of hosts) {
      const before = known.get(address);
      // Another card has the address now: what was known of it belongs to the card before.
      const kept = mac !== null && before?.mac !== null && before?.mac !== mac ? undefined : before;
      known.set(address, { address, mac: mac ?? kept?.mac ?? null, name: name ?? kept?.name ?? null });
    }
    await enrichment.ready;
    await hearOf(hosts);
  };

  const recordSessions = async (sessions: readonly SessionFinding[]) => {
    const now = clock.now();
    const byRouter = Map.groupBy(sessions, ({ sender }) => routerOf(registry, sender));
    for (const [routerId, seen] of byRouter) {
      if (routerId !== null) {
        const observations = seen.map((session) => observationOf(session, now));
        await record({ routerId, kind: 'vendor_a', observations, now });
      }
    }
  };

  return {
    async onFindings(_source, findings) {
      const named = findings.filter(isOf<NameFinding>('name'));
      const hosts = findings.filter(isOf<HostFinding>('host'));
      const sessions = findings.filter(isOf<SessionFinding>('session'));
      if (named.length > 0) {
        await enrichment.noteNames(named);
      }
      if (hosts.length > 0) {
        await learnHosts(hosts);
      }
      if (sessions.length > 0) {
        await recordSessions(sessions);
      }
    },
    describeSource(address) {
      const host = known.get(address);
      return host
        ? {
            mac: host.mac,
            vendor: host.mac && enrichment.vendorOf(host.mac),
            dnsName: host.name,
            mdnsName: null,
            deviceId: null,
          }
        : null;
    },
  };
}

function isOf<F extends Finding>(tells: F['tells']): (finding: Finding) => finding is F {
  return (finding): finding is F => finding.tells === tells;
}

/** The router that wrote the line: the one syslog names, else the only one of its kind; null when that is open. */
function routerOf(registry: Registry, sender: string | null): string | null {
  const routers = registry.list().filter(({ kind }) => kind === 'vendor_a');
  const named = routers.find(({ ip, hostName }) => sender !== null && (ip === sender || hostName === sender));
  const [only] = routers;
  return named?.id ?? (routers.length === 1 ? (only?.id ?? null) : null);
}

/** The line is written when the session ends. */
function observationOf({ proto, src, sport, dst, dport, durationMs }: SessionFinding, at: number): Observation {
  return { src, dst, dport, proto, sport, ttl: null, startedAt: at - (durationMs ?? 0), at };
}
