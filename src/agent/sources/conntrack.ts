// UDP without connect(), from the program `conntrack`: silent on a machine whose firewall does not track connections.
import { networkInterfaces } from 'node:os';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startLines } from './child-lines.ts';
import { type SourceState, tupleKey, unknownProcess } from './connection.ts';
import { parseConntrackLine } from './conntrack-line.ts';
import type { Ledger } from './ledger.ts';

export type Conntrack = Awaited<ReturnType<typeof startConntrack>>;

const retryMs = 300_000;
const command = ['conntrack', '-E', '-o', 'timestamp,id', '-e', 'NEW,DESTROY', '-p', 'udp'];
const addressesMs = 30_000;

export async function startConntrack({ clock, ledger }: { clock: Clock; ledger: Ledger }) {
  const reader = createFlowReader({ clock, ledger, localAddresses: addressesOfThisMachine });
  const lines = await startLines({ clock, command, onLine: reader.line, retryMs });
  return {
    state(): SourceState {
      const ending = lines.problem();
      const silent =
        'conntrack has given no event: it is silent until a firewall rule uses it (in nftables for example "ct state new accept")';
      const problem = ending?.isMissing
        ? 'conntrack is not installed: install conntrack (conntrack-tools)'
        : ending && `${ending.problem}: run as root, or with CAP_NET_ADMIN`;
      const reason = problem ?? (reader.flows() === 0 ? silent : null);
      const cannotSee = reason
        ? ['UDP without connect(), such as most DNS queries, is not seen.']
        : ['Conntrack does not know processes, and counts bytes only with net.netfilter.nf_conntrack_acct=1.'];
      return { name: 'conntrack', active: reason === null, reason, cannotSee };
    },
    damaged: reader.damaged,
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

export interface FlowOptions {
  clock: Clock;
  ledger: Ledger;
  /** Only flows from these addresses count. Others are incoming, or pass through this machine as a router. */
  localAddresses: () => ReadonlySet<string>;
}

/** Turns lines of conntrack into connections of the ledger. */
export function createFlowReader({ clock, ledger, localAddresses }: FlowOptions) {
  let flows = 0;
  let damaged = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let addresses: ReadonlySet<string> = new Set();

  function isOurs(address: string): boolean {
    const now = clock.now();
    if (!addresses.has(address) && Math.abs(now - readAt) > addressesMs) {
      readAt = now;
      addresses = localAddresses();
    }
    return addresses.has(address);
  }

  return {
    line(line: string): void {
      const event = line === '' ? undefined : parseConntrackLine(line);
      if (!event) {
        damaged += event === null ? 1 : 0;
        return;
      }
      flows += 1;
      const { kind, at, id: _, bytesIn, bytesOut, ...tuple } = event;
      const known = ledger.find(tupleKey(tuple));
      if (kind === 'new' && !known && isOurs(tuple.localAddress)) {
        const seen = { collector: 'conntrack', confidence: 'sampled', isStartSeen: true } as const;
        ledger.open({ ...tuple, ...unknownProcess, ...seen, at });
      }
      if (kind === 'destroy' && known) {
        if (bytesIn !== null && bytesOut !== null) {
          ledger.count(known, { bytesIn, bytesOut });
        }
        if (known.connection.collector === 'conntrack') {
          known.hasFinalCounts = true;
          ledger.end(known, at);
        }
      }
    },
    flows: () => flows,
    damaged: () => damaged,
  };
}

function addressesOfThisMachine(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.map(({ address }) => canonicalIp(address) ?? ''));
}
