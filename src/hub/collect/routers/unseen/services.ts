// The services of a router by protocol and port. Beyond a bound, the smallest of a protocol are counted as one.
import { Service } from './service.ts';
import { isDns, type LeastLife } from './timers.ts';

/** Most services with their own counts after a read; during a read, twice as many. */
export const mostServices = 200;
const mostWithin = 2 * mostServices;

export class Services {
  readonly #byPort = new Map<string, Map<number, Service>>();
  readonly #rest = new Map<string, Service>();
  #size = 0;

  *[Symbol.iterator](): Generator<Service> {
    yield* this.#rest.values();
    for (const ports of this.#byPort.values()) {
      yield* ports.values();
    }
  }

  /** Finds or creates the service of a port, or of the rest of its protocol at the bound. Calls `made` with a new one. */
  of(proto: string, dport: number, least: LeastLife, made: (service: Service) => void): Service {
    let ports = this.#byPort.get(proto);
    if (!ports) {
      ports = new Map();
      this.#byPort.set(proto, ports);
    }
    const known = ports.get(dport);
    if (known) {
      return known;
    }
    const rest = this.#restOf(proto, least, made);
    if (this.#size >= mostWithin && !isDns(proto, dport)) {
      return rest;
    }
    const service = new Service(proto, dport, least(proto, dport), isDns(proto, dport) ? null : rest);
    ports.set(dport, service);
    this.#size += 1;
    made(service);
    return service;
  }

  /** Joins the smallest services beyond `mostServices` with the rest of their protocol. */
  shrink(): void {
    if (this.#size <= mostServices) {
      return;
    }
    const ranked = [...this]
      .filter(({ proto, dport }) => dport !== null && !isDns(proto, dport))
      .sort((one, other) => one.size - other.size);
    for (const service of ranked.slice(0, this.#size - mostServices)) {
      this.#rest.get(service.proto)?.join(service);
      this.#byPort.get(service.proto)?.delete(service.dport ?? 0);
      this.#size -= 1;
    }
  }

  clear(): void {
    this.#byPort.clear();
    this.#rest.clear();
    this.#size = 0;
  }

  #restOf(proto: string, least: LeastLife, made: (service: Service) => void): Service {
    const known = this.#rest.get(proto);
    if (known) {
      return known;
    }
    // Port 0 has no timer of its own.
    const rest = new Service(proto, null, least(proto, 0), null);
    this.#rest.set(proto, rest);
    made(rest);
    return rest;
  }
}
