// The NAT table: entries that age by themselves, and the limit. Every answer is a function of the clock.
import type { NatCounters, NatEntry } from '../model.ts';
import { isClosing, lastPacketAt } from './flow-times.ts';
import { PortPool, type PortPoolOptions } from './port-pool.ts';
import { getTimeout, type Timers } from './timers.ts';
import type { Flow } from './traffic.ts';

export interface NatTableOptions extends PortPoolOptions {
  now: () => number;
  timers: Timers;
  limit: () => number;
  onRefused: (reason: 'table' | 'ports') => void;
}

type Tuple = Pick<Flow, 'proto' | 'src' | 'sport' | 'dst' | 'dport'>;

interface StaticMapping {
  proto: 'tcp' | 'udp';
  src: string;
  port: number;
  createdAt: number;
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

export class NatTable {
  readonly #options: NatTableOptions;
  readonly #entries = new Map<string, LiveEntry>();
  readonly #statics: LiveEntry[] = [];
  readonly #ports: PortPool;
  #nextId = 1;
  #counted: NatCounters;
  /** No entry runs out before this instant, so nothing needs to be searched for until then. */
  #soonest = Number.POSITIVE_INFINITY;

  constructor(options: NatTableOptions) {
    this.#options = options;
    this.#ports = new PortPool(options);
    this.#counted = this.#zero();
  }

  /** Puts a flow in at its start, or refreshes its live entry; null when the table or the ports are used up. */
  add(flow: Flow, outerPort?: number): NatEntry | null {
    const { now, onRefused } = this.#options;
    const key = flowKey(flow);
    const present = this.#entries.get(key);
    if (present && present.expiresAt > flow.startAt) {
      present.refresh(flow);
      this.#expire(present);
      return present;
    }
    if (this.#isFull(flow.startAt)) {
      onRefused('table');
      return null;
    }
    const port = outerPort ?? this.#ports.allocate(flow);
    if (port === null) {
      onRefused('ports');
      return null;
    }
    const entry = new LiveEntry(this.#nextId++, { ...flow }, port, false, now);
    this.#expire(entry);
    if (present) {
      this.#retire(present);
      this.#entries.delete(key);
    }
    this.#entries.set(key, entry);
    this.#counted.punted += 1;
    this.#notePeak(flow.startAt);
    if (port !== 0) {
      this.#ports.hold(entry);
    }
    return entry;
  }

  /** Whether a flow of these addresses and ports is in the table. */
  holds(flow: Tuple): boolean {
    const present = this.#entries.get(flowKey(flow));
    return present !== undefined && present.expiresAt > this.#options.now();
  }

  addStatic({ proto, src, port, createdAt }: StaticMapping): void {
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
    this.#statics.push(new LiveEntry(this.#nextId++, flow, port, true, this.#options.now));
  }

  live(): readonly NatEntry[] {
    this.#purge(this.#options.now());
    return [...this.#statics, ...this.#entries.values()];
  }

  counters(): NatCounters {
    this.#purge(this.#options.now());
    let { hits } = this.#counted;
    for (const entry of this.#entries.values()) {
      hits += entry.packetsIn + entry.packetsOut;
    }
    return { ...this.#counted, hits };
  }

  /** Ends a flow put in before: its last packet is now. */
  end(entry: NatEntry, how: Flow['ends']): void {
    const found = this.#entries.get(flowKey(entry));
    if (found) {
      found.flow.endAt = this.#options.now();
      found.flow.ends = how;
      this.#expire(found);
      this.#ports.searchAgain();
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#ports.clear();
  }

  /** As `clear`, and ids count from 1 again. */
  restart(): void {
    this.clear();
    this.#ports.restart();
    this.#nextId = this.#statics.length + 1;
    this.#counted = this.#zero();
  }

  #zero(): NatCounters {
    return { peak: 0, peakAt: this.#options.now(), hits: 0, punted: 0, expired: 0 };
  }

  #expire(entry: LiveEntry): void {
    entry.expiresAt = computeExpiry(entry.flow, this.#options.timers);
    this.#soonest = Math.min(this.#soonest, entry.expiresAt);
  }

  #retire(entry: LiveEntry): void {
    this.#counted.expired += 1;
    this.#counted.hits += entry.packetsIn + entry.packetsOut;
  }

  #purge(at: number): void {
    if (at < this.#soonest) {
      return;
    }
    this.#soonest = Number.POSITIVE_INFINITY;
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt <= at) {
        this.#retire(entry);
        this.#entries.delete(key);
        this.#ports.release(entry);
      } else {
        this.#soonest = Math.min(this.#soonest, entry.expiresAt);
      }
    }
  }

  #isFull(at: number): boolean {
    const isAtLimit = () => this.#entries.size + this.#statics.length >= this.#options.limit();
    if (!isAtLimit()) {
      return false;
    }
    this.#purge(at);
    return isAtLimit();
  }

  #notePeak(at: number): void {
    if (this.#entries.size > this.#counted.peak) {
      this.#purge(at);
    }
    if (this.#entries.size > this.#counted.peak) {
      this.#counted.peak = this.#entries.size;
      this.#counted.peakAt = at;
    }
  }
}

/** When the entry of a flow runs out: the timer in force starts at its last packet. */
function computeExpiry(flow: Flow, timers: Timers): number {
  const openMs = getTimeout(timers, { ...flow, closing: false, fixed: false }) * 1000;
  const quietMs = Math.min(flow.everyMs, (flow.endAt ?? Number.POSITIVE_INFINITY) - flow.startAt);
  if (quietMs >= openMs) {
    return flow.startAt + openMs;
  }
  return flow.endAt === null
    ? Number.POSITIVE_INFINITY
    : flow.endAt + getTimeout(timers, { ...flow, closing: flow.ends === 'fin', fixed: false }) * 1000;
}

function flowKey(flow: Tuple): string {
  return `${flow.proto} ${flow.src} ${flow.sport} ${flow.dst} ${flow.dport}`;
}
