// What every simulator has: the loopback guard, faults, a journal, open sockets, and its half of the control surface.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from './armed-faults.ts';
import { createJournal } from './journal.ts';
import { requireLoopback } from './loopback.ts';
import { requireFault } from './running.ts';
import type { Control, FaultOptions, SimulatorOptions } from './simulator.ts';

interface BaseParts<Fault extends string> {
  /** Every fault by its name, with one sentence. */
  faults: Readonly<Record<Fault, string>>;
  /** Texts that never appear in the journal; none when absent. */
  secrets?: () => readonly string[];
  /** Throws, naming the fault, when its options are invalid; the fault is then not armed. */
  requireOptions?: (fault: Fault, options: FaultOptions) => void;
  /** Does what a fault does at once, and returns true; such a fault is not armed. */
  apply?: (fault: Fault, options: FaultOptions) => boolean;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Throws when the host is not loopback and that is not allowed. */
export function createSimulatorBase<Fault extends string>(options: SimulatorOptions, parts: BaseParts<Fault>) {
  const { host = '127.0.0.1', port = 0, clock = systemClock, onEntry } = options;
  requireLoopback(host, options.allowNonLoopback);
  const faults = createArmedFaults<Fault>();
  const journal = createJournal({ clock, secrets: parts.secrets ?? (() => []), onEntry });
  const stopped = new AbortController();
  const held = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const control: Pick<Control<Fault>, 'journal' | 'clearJournal' | 'fail' | 'clearFaults'> = {
    journal: () => [...journal.entries],
    clearJournal: journal.clear,
    fail(fault, given = {}) {
      requireFault(parts.faults, fault);
      parts.requireOptions?.(fault, given);
      journal.add('fault-armed', { fault, ...given });
      if (!parts.apply?.(fault, given)) {
        faults.arm(fault, given);
      }
    },
    clearFaults() {
      faults.clear();
      for (const response of held) {
        response.destroy();
      }
    },
  };
  /** Notes `broken` and destroys the connection when `work` rejects. */
  const guard = (work: Promise<unknown>, connection: { destroy(): unknown }): void => {
    work.catch((error: unknown) => {
      journal.add('broken', { reason: messageOf(error) });
      connection.destroy();
    });
  };
  return {
    host,
    port,
    clock,
    faults,
    journal,
    sockets,
    control,
    guard,
    stopped: stopped.signal as AbortSignal,
    take(fault: Fault, command?: string) {
      const armed = faults.take(fault, command);
      if (armed) {
        journal.add('fault', { fault });
      }
      return armed;
    },
    /** Waits `value` of an armed `slow` in ms (`usualMs` without a number), at most until the simulator stops. */
    async delay(slow: FaultOptions | null, usualMs = 5000): Promise<void> {
      if (slow) {
        const ms = typeof slow.value === 'number' ? slow.value : usualMs;
        await clock.sleep(ms, stopped.signal).catch(() => undefined);
      }
    },
    /** Leaves a request without an answer; clearing the faults, or stopping, cuts its connection. */
    hold(response: ServerResponse): void {
      held.add(response);
      response.once('close', () => held.delete(response));
    },
    listener: (serve: Serve) => (request: IncomingMessage, response: ServerResponse) =>
      guard(serve(request, response), response),
    track(socket: Socket): void {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // A client may go away at any time; `close` follows.
      socket.on('error', () => undefined);
    },
    /** Resolves to host and port as in a URL when `server` listens, on `port` unless another one is given. */
    listen: (server: Server, ownPort = port): Promise<string> => listen(server, host, ownPort),
    /** Aborts `stopped`, which ends every `delay`. */
    stop: (): void => stopped.abort(),
    async close(...servers: Server[]): Promise<void> {
      stopped.abort();
      await Promise.all(servers.map((server) => close(server, sockets)));
    },
  };
}

export type SimulatorBase<Fault extends string> = ReturnType<typeof createSimulatorBase<Fault>>;
