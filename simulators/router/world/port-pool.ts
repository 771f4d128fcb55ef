// The outer ports of a NAT table: which entry holds which, and which one a new flow gets.
import type { Flow } from './traffic.ts';

export interface PortPoolOptions {
  /** 1: one outer port per session; 2: TCP sessions share ports; 3: TCP and UDP share. */
  natType: 1 | 2 | 3;
  /** With type 1: TCP, UDP and ICMP each have the whole pool, as on vendor_b. */
  portsPerProtocol?: boolean;
  /** In the order in which they are handed out, inclusive ranges. */
  outerPorts: readonly (readonly [number, number])[];
}

interface Holder {
  readonly flow: Flow;
  readonly outerPort: number;
  readonly expiresAt: number;
}

/** The ports of a pool in their order. Routers of one profile share them: the list is the largest part of a router at rest. */
const listed = new WeakMap<PortPoolOptions['outerPorts'], readonly number[]>();

function listPorts(ranges: PortPoolOptions['outerPorts']): readonly number[] {
  const ports =
    listed.get(ranges) ?? ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
  listed.set(ranges, ports);
  return ports;
}

export class PortPool {
  readonly #options: PortPoolOptions;
  readonly #ports: readonly number[];
  readonly #holders = new Map<string, Holder>();
  /** When one of the ports of a used-up pool can be free: it is not searched again before. */
  readonly #exhausted = new Map<string, number>();
  #next = 0;

  constructor(options: PortPoolOptions) {
    this.#options = options;
    this.#ports = listPorts(options.outerPorts);
  }

  /** The port for a flow, 0 for a protocol without ports; null when all are used up. */
  allocate(flow: Flow): number | null {
    if (flow.proto === 'esp' || flow.proto === 'gre') {
      return 0;
    }
    const family = this.#family(flow);
    if (flow.startAt < (this.#exhausted.get(family) ?? 0)) {
      return null;
    }
    for (let tries = 0; tries < this.#ports.length; tries++) {
      const port = this.#ports[(this.#next + tries) % this.#ports.length];
      if (port !== undefined && this.#isFree(flow, port)) {
        this.#next = (this.#next + tries + 1) % this.#ports.length;
        return port;
      }
    }
    let freeAt = Number.POSITIVE_INFINITY;
    for (const holder of this.#holders.values()) {
      freeAt = this.#family(holder.flow) === family ? Math.min(freeAt, holder.expiresAt) : freeAt;
    }
    this.#exhausted.set(family, freeAt);
    return null;
  }

  hold(holder: Holder): void {
    this.#holders.set(this.#key(holder.flow, holder.outerPort), holder);
  }

  release(holder: Holder): void {
    const key = this.#key(holder.flow, holder.outerPort);
    if (this.#holders.get(key) === holder) {
      this.#holders.delete(key);
    }
  }

  /** A port may be free earlier than it seemed. */
  searchAgain(): void {
    this.#exhausted.clear();
  }

  clear(): void {
    this.#holders.clear();
    this.#exhausted.clear();
  }

  /** Hands ports out from the first one again. */
  restart(): void {
    this.#next = 0;
  }

  #isFree(flow: Flow, port: number): boolean {
    return (this.#holders.get(this.#key(flow, port))?.expiresAt ?? 0) <= flow.startAt;
  }

  /** Flows of one family compete for the same ports. */
  #family({ proto }: Flow): string {
    const { natType, portsPerProtocol = false } = this.#options;
    return natType === 1 && !portsPerProtocol ? 'any' : proto;
  }

  #key(flow: Flow, port: number): string {
    const { natType } = this.#options;
    const isShared = natType === 3 || (natType === 2 && flow.proto === 'tcp');
    return isShared ? `${flow.proto} ${port} ${flow.dst} ${flow.dport}` : `${this.#family(flow)} ${port}`;
  }
}
