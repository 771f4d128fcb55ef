// The NAT table: entries that age by themselves, outer ports, and the limit. Every answer is a function of the clock.
import type { NatCounters, NatEntry } from '../model.ts';
import { isClosing, lastPacketAt } from './flow-times.ts';
import { type Timers, timeoutOf } from './timers.ts';
import type { Flow } from './traffic.ts';

export interface NatTableOptions {
  now: () => number;
  timers: Timers;
  /** 1: one outer port per session; 2: TCP sessions share ports; 3: TCP and UDP share. */
  natType: 1 | 2 | 3;
  /** With type 1: TCP, UDP and ICMP each have the whole pool, as on vendor_b. */
  portsPerProtocol?: boolean;
  outerPorts: readonly (readonly [number, number])[];
  limit: () => number;
  onRefused: (reason: 'table' | 'ports') => void;
}

type Tuple = Pick<Flow, 'proto' | 'src' | 'sport' | 'dst' | 'dport'>;

export interface NatTable {
  /** Puts a flow in at its start, or refreshes its live entry; null when the table or the ports are used up. */
  add(flow: Flow, outerPort?: number): NatEntry | null;
  /** Whether a flow of these addresses and ports is in the table. */
  holds(flow: Tuple): boolean;
  addStatic(mapping: { proto: 'tcp' | 'udp'; src: string; port: number; createdAt: number }): void;
  live(): readonly NatEntry[];
  counters(): NatCounters;
  /** Ends a flow put in before: its last packet is now. */
  end(entry: NatEntry, how: Flow['ends']): void;
  /** Drops everything but static mappings. */
  clear(): void;
  /** As `clear`, and ids count from 1 again. */
  restart(): void;
}

/** One entry; what changes with time is computed when it is read. */
class LiveEntry implements NatEntry {
  readonly id: number;
  flow: Flow;
  readonly outerPort: number;
  readonly createdAt: number;
  readonly fixed: boolean;
  expiresAt = 0;
  #earlier = 0;
  readonly #now: () => number;

  constructor(id: number, flow: Flow, outerPort: number, fixed: boolean, now: () => number) {
    this.id = id;
    this.flow = flow;
    this.outerPort = outerPort;
    this.createdAt = flow.startAt;
    this.fixed = fixed;
    this.#now = now;
  }

  get proto() {
    return this.flow.proto;
  }
  get src() {
    return this.flow.src;
  }
  get sport() {
    return this.flow.sport;
  }
  get dst() {
    return this.flow.dst;
  }
  get dport() {
    return this.flow.dport;
  }
  get lastPacketAt() {
    return lastPacketAt(this.flow, Math.min(this.#now(), this.expiresAt));
  }
  get closing() {
    return isClosing(this.flow, this.#now());
  }
  get bytesIn() {
    return this.#bursts() * this.flow.burst.bytesIn;
  }
  get bytesOut() {
    return this.#bursts() * this.flow.burst.bytesOut;
  }
  get packetsIn() {
    return this.#bursts() * this.flow.burst.packets;
  }
  get packetsOut() {
    return this.packetsIn;
  }

  /** The same tuple again while the entry lives: its packets go on from there. */
  refresh(flow: Flow): void {
    this.#earlier = this.#bursts();
    this.flow = { ...flow };
  }

  #bursts(): number {
    const { startAt, everyMs } = this.flow;
    return this.fixed ? 0 : this.#earlier + 1 + Math.ceil((this.lastPacketAt - startAt) / everyMs);
  }
}

export function createNatTable(options: NatTableOptions): NatTable {
  const { now, timers, natType } = options;
  const entries = new Map<string, LiveEntry>();
  const holders = new Map<string, LiveEntry>();
  const ports = options.outerPorts.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
  const statics: LiveEntry[] = [];
  let nextId = 1;
  let nextPort = 0;
  // A used-up pool is not searched again before one of its ports can be free.
  const exhausted = new Map<string, number>();

  const expiryOf = (flow: Flow): number => {
    const openMs = timeoutOf(timers, { ...flow, closing: false, fixed: false }) * 1000;
    const quietMs = Math.min(flow.everyMs, (flow.endAt ?? Number.POSITIVE_INFINITY) - flow.startAt);
    if (quietMs >= openMs) {
      return flow.startAt + openMs;
    }
    return flow.endAt === null
      ? Number.POSITIVE_INFINITY
      : flow.endAt + timeoutOf(timers, { ...flow, closing: flow.ends === 'fin', fixed: false }) * 1000;
  };

  const familyOf = (flow: Flow) => (natType === 1 && options.portsPerProtocol !== true ? 'any' : flow.proto);

  const holderKey = (flow: Flow, port: number): string => {
    const shares = natType === 3 || (natType === 2 && flow.proto === 'tcp');
    return shares ? `${flow.proto} ${port} ${flow.dst} ${flow.dport}` : `${familyOf(flow)} ${port}`;
  };

  const zero = (): NatCounters => ({ peak: 0, peakAt: now(), hits: 0, punted: 0, expired: 0 });
  let counted = zero();
  // No entry runs out before this instant, so nothing needs to be searched for until then.
  let soonest = Number.POSITIVE_INFINITY;

  const retire = (entry: LiveEntry) => {
    counted.expired += 1;
    counted.hits += entry.packetsIn + entry.packetsOut;
  };

  const purge = (at: number) => {
    if (at < soonest) {
      return;
    }
    soonest = Number.POSITIVE_INFINITY;
    for (const [key, entry] of entries) {
      soonest = entry.expiresAt <= at ? soonest : Math.min(soonest, entry.expiresAt);
      if (entry.expiresAt <= at) {
        retire(entry);
        entries.delete(key);
        const held = holderKey(entry.flow, entry.outerPort);
        if (holders.get(held) === entry) {
          holders.delete(held);
        }
      }
    }
  };

  const isFree = (flow: Flow, port: number): boolean =>
    (holders.get(holderKey(flow, port))?.expiresAt ?? 0) <= flow.startAt;

  const allocate = (flow: Flow): number | null => {
    if (flow.proto === 'esp' || flow.proto === 'gre') {
      return 0;
    }
    const family = familyOf(flow);
    if (flow.startAt < (exhausted.get(family) ?? 0)) {
      return null;
    }
    for (let tries = 0; tries < ports.length; tries++) {
      const port = ports[(nextPort + tries) % ports.length];
      if (port !== undefined && isFree(flow, port)) {
        nextPort = (nextPort + tries + 1) % ports.length;
        return port;
      }
    }
    let freeAt = Number.POSITIVE_INFINITY;
    for (const holder of holders.values()) {
      freeAt = familyOf(holder.flow) === family ? Math.min(freeAt, holder.expiresAt) : freeAt;
    }
    exhausted.set(family, freeAt);
    return null;
  };

  const isFull = (at: number): boolean => {
    if (entries.size + statics.length < options.limit()) {
      return false;
    }
    purge(at);
    return entries.size + statics.length >= options.limit();
  };

  const notePeak = (at: number) => {
    if (entries.size > counted.peak) {
      purge(at);
    }
    if (entries.size > counted.peak) {
      counted = { ...counted, peak: entries.size, peakAt: at };
    }
  };

  return {
    add(flow, outerPort) {
      const key = keyOf(flow);
      const present = entries.get(key);
      if (present && present.expiresAt > flow.startAt) {
        present.refresh(flow);
        present.expiresAt = expiryOf(flow);
        soonest = Math.min(soonest, present.expiresAt);
        return present;
      }
      if (isFull(flow.startAt)) {
        options.onRefused('table');
        return null;
      }
      const port = outerPort ?? allocate(flow);
      if (port === null) {
        options.onRefused('ports');
        return null;
      }
      const entry = new LiveEntry(nextId++, { ...flow }, port, false, now);
      entry.expiresAt = expiryOf(entry.flow);
      if (present) {
        retire(present);
        entries.delete(key);
      }
      entries.set(key, entry);
      soonest = Math.min(soonest, entry.expiresAt);
      counted.punted += 1;
      notePeak(flow.startAt);
      if (port !== 0) {
        holders.set(holderKey(flow, port), entry);
      }
      return entry;
    },
    holds(flow) {
      const present = entries.get(keyOf(flow));
      return present !== undefined && present.expiresAt > now();
    },
    addStatic({ proto, src, port, createdAt }) {
      const flow: Flow = {
        proto,
        src,
        sport: port,
        dst: '0.0.0.0',
        dport: 0,
        startAt: createdAt,
        everyMs: 1,
        endAt: createdAt,
        ends: 'silent',
        burst: { packets: 0, bytesIn: 0, bytesOut: 0 },
      };
      statics.push(new LiveEntry(nextId++, flow, port, true, now));
    },
    live() {
      purge(now());
      return [...statics, ...entries.values()];
    },
    counters() {
      purge(now());
      let hits = counted.hits;
      for (const entry of entries.values()) {
        hits += entry.packetsIn + entry.packetsOut;
      }
      return { ...counted, hits };
    },
    end(entry, how) {
      const found = entries.get(keyOf(entry));
      if (found) {
        found.flow.endAt = now();
        found.flow.ends = how;
        found.expiresAt = expiryOf(found.flow);
        soonest = Math.min(soonest, found.expiresAt);
        exhausted.clear();
      }
    },
    clear() {
      entries.clear();
      holders.clear();
      exhausted.clear();
    },
    restart() {
      entries.clear();
      holders.clear();
      exhausted.clear();
      nextId = statics.length + 1;
      counted = zero();
      nextPort = 0;
    },
  };
}

function keyOf(flow: Tuple): string {
  return `${flow.proto} ${flow.src} ${flow.sport} ${flow.dst} ${flow.dport}`;
}
