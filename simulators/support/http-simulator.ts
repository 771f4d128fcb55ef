// What every simulator over HTTP has: the loopback guard, faults, a journal, held answers, a port.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from './armed-faults.ts';
import { baseControl } from './base-control.ts';
import { createJournal } from './journal.ts';
import { requireLoopback } from './loopback.ts';
import type { FaultOptions, SimulatorOptions } from './simulator.ts';

interface Parts<Fault extends string> {
  /** Texts that never appear in the journal. */
  secrets: () => readonly string[];
  /** Throws, naming the fault, when its options are invalid. */
  requireOptions?: (fault: Fault, options: FaultOptions) => void;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Throws when the host is not loopback and that is not allowed. */
export function createHttpSimulator<Fault extends string>(options: SimulatorOptions, parts: Parts<Fault>) {
  const { host = '127.0.0.1', port = 0, clock = systemClock, onEntry } = options;
  requireLoopback(host, options.allowNonLoopback);
  const faults = createArmedFaults<Fault>();
  const journal = createJournal({ clock, secrets: parts.secrets, onEntry });
  const held = new Set<ServerResponse>();
  return {
    clock,
    faults,
    journal,
    /** Leaves a request without an answer until the faults are cleared. */
    hold(response: ServerResponse): void {
      held.add(response);
      response.once('close', () => held.delete(response));
    },
    /** Cuts the connection and notes `broken` when `serve` rejects. */
    listener: (serve: Serve) => (request: IncomingMessage, response: ServerResponse) => {
      serve(request, response).catch((error: unknown) => {
        journal.add('broken', { reason: messageOf(error) });
        response.destroy();
      });
    },
    control: {
      ...baseControl(faults, journal, parts.requireOptions),
      clearFaults() {
        faults.clear();
        for (const response of held) {
          response.destroy();
        }
      },
    },
    /** Resolves to host and port as in a URL when `server` listens. */
    listen: (server: Server): Promise<string> => listen(server, host, port),
    close,
  };
}
