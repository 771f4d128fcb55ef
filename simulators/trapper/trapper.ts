// One simulated trapper listener: reads framed batches over TCP, keeps their values, and answers as a server does.
import { createServer, type Socket } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from '../support/armed-faults.ts';
import { baseControl } from '../support/base-control.ts';
import { createJournal } from '../support/journal.ts';
import { requireLoopback } from '../support/loopback.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { isKnown, parseBatch, resultOf } from './batch.ts';
import { type KnownItems, parseTrapperPatch, type TrapperControl, type TrapperValue } from './control.ts';
import { requireFaultOptions, type TrapperFault } from './faults.ts';
import { frameOf, parseFrame } from './frame.ts';

export interface TrapperOptions extends SimulatorOptions {
  /** Any host with any key when absent. */
  known?: KnownItems;
}

const mostValues = 10_000;

/** Starts a listener; `url` is like `tcp://127.0.0.1:10051`. */
export async function startTrapper(options: TrapperOptions = {}): Promise<Simulator<TrapperControl>> {
  const { host = '127.0.0.1', clock = systemClock } = options;
  requireLoopback(host, options.allowNonLoopback);
  const values: TrapperValue[] = [];
  const faults = createArmedFaults<TrapperFault>();
  const stopped = new AbortController();
  const sockets = new Set<Socket>();
  let known: KnownItems = options.known ?? null;
  const journal = createJournal({
    clock,
    secrets: () => [],
    onEntry: options.onEntry,
  });
  const note = journal.add;
  const take = (fault: TrapperFault) => {
    const armed = faults.take(fault);
    if (armed) {
      note('fault', { fault });
    }
    return armed;
  };

  /** Judges a batch, keeps what is processed, and tells the answer. */
  const judged = (body: string): string => {
    const batch = parseBatch(body);
    if (typeof batch === 'string') {
      note('refused', { reason: batch });
      return JSON.stringify({ response: 'failed', info: batch });
    }
    if (take('failed')) {
      return JSON.stringify({ response: 'failed', info: 'the server cannot process this now' });
    }
    const refused = take('all-failed') ? batch.length : Math.min(batch.length, Number(partialCount()));
    const accepted = batch.slice(refused).filter((value) => isKnown(known, value));
    for (const value of accepted) {
      values.push(value);
      note('value', { ...value });
    }
    values.splice(0, values.length - mostValues);
    note('batch', { processed: accepted.length, failed: batch.length - accepted.length });
    return resultOf(accepted.length, batch.length - accepted.length);
  };
  const partialCount = () => {
    const partial = take('partial');
    return partial ? (partial.value ?? 1) : 0;
  };

  const answer = async (socket: Socket, body: string): Promise<void> => {
    if (take('hang')) {
      return;
    }
    if (take('close')) {
      socket.end();
      return;
    }
    if (take('garbage')) {
      socket.end(Buffer.from('\x15\x03\x01\x00\x02\x02\x46 nothing like a frame', 'latin1'));
      return;
    }
    if (take('not-json')) {
      socket.end(frameOf('OK, thank you'));
      return;
    }
    const slow = take('slow');
    if (slow) {
      await clock.sleep(Number(slow.value ?? 5000), stopped.signal).catch(() => undefined);
    }
    const whole = frameOf(judged(body));
    socket.end(take('half-frame') ? whole.subarray(0, whole.length / 2) : whole);
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A sender that goes away is part of the game; `close` follows.
    socket.on('error', () => undefined);
    if (take('closed-early')) {
      socket.destroy();
      return;
    }
    let bytes = Buffer.alloc(0);
    const read = (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      const parsed = parseFrame(bytes);
      if (parsed.state === 'part') {
        return;
      }
      socket.off('data', read);
      socket.resume();
      if (parsed.state === 'wrong') {
        note('not-a-frame', { reason: parsed.reason });
        socket.destroy();
        return;
      }
      note('request', { bytes: bytes.length, flags: parsed.flags });
      answer(socket, parsed.body).catch((error: unknown) => {
        note('broken', { reason: messageOf(error) });
        socket.destroy();
      });
    };
    socket.on('data', read);
  });
  const url = new URL(`tcp://${await listen(server, host, options.port)}`);

  const control: TrapperControl = {
    ...baseControl(faults, journal, requireFaultOptions),
    values,
    get known() {
      return known;
    },
    reset() {
      faults.clear();
      known = options.known ?? null;
      values.length = 0;
      journal.clear();
    },
    state: () => ({ url: url.href, known, values: values.length, connections: sockets.size, faults: faults.list() }),
    patch(change) {
      const parsed = parseTrapperPatch(change);
      known = parsed.known === undefined ? known : parsed.known;
    },
  };

  return {
    url,
    control,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await close(server, sockets);
    },
  };
}
