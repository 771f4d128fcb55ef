// A simulated Zabbix trapper: reads one framed batch from each TCP connection, keeps its values, and answers.
import { createServer, type Socket } from 'node:net';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { formatResult, isKnown, parseBatch } from './batch.ts';
import { type KnownItems, patchSchema, type TrapperControl, type TrapperValue } from './control.ts';
import { requireFaultOptions, type TrapperFault, trapperFaults } from './faults.ts';
import { createFrame, parseFrame } from './frame.ts';

export interface TrapperOptions extends SimulatorOptions {
  /** The items whose values are accepted; every item when absent. */
  known?: KnownItems;
}

const maxValues = 10_000;

export interface TrapperSimulator extends TrapperControl, Simulator {}

/** Starts a Zabbix trapper; `url` is like `tcp://127.0.0.1:10051` and `values` has what was sent to it. */
export async function startTrapper(options: TrapperOptions = {}): Promise<TrapperSimulator> {
  const base = createSimulatorBase<TrapperFault>(options, {
    faults: trapperFaults,
    requireOptions: requireFaultOptions,
  });
  const store = new ValueStore(base, options.known ?? null);
  const server = createServer((socket) => {
    base.track(socket);
    if (base.take('closed-early')) {
      socket.destroy();
    } else {
      readRequest(base, store, socket);
    }
  });
  const url = new URL(`tcp://${await base.listen(server)}`);

  const control: TrapperControl = {
    ...base.control,
    values: store.values,
    get known() {
      return store.known;
    },
    reset() {
      base.faults.clear();
      store.known = options.known ?? null;
      store.values.length = 0;
      base.journal.clear();
    },
    state: () => ({
      url: url.href,
      known: store.known,
      values: store.values.length,
      connections: base.sockets.size,
      faults: base.faults.list(),
    }),
    patch(change) {
      const { known = store.known } = parseChange(patchSchema, change);
      store.known = known;
    },
  };
  return toRunning(control, { url, [Symbol.asyncDispose]: () => base.close(server) });
}

type Base = SimulatorBase<TrapperFault>;

/** The newest `maxValues` accepted values, and the items whose values are accepted. */
class ValueStore {
  readonly values: TrapperValue[] = [];
  known: KnownItems;
  readonly #base: Base;

  constructor(base: Base, known: KnownItems) {
    this.#base = base;
    this.known = known;
  }

  /** Keeps the values of known items, unless a fault says otherwise. Returns the JSON body of the answer. */
  processRequest(body: string): string {
    const { take, journal } = this.#base;
    const batch = parseBatch(body);
    if (typeof batch === 'string') {
      journal.add('refused', { reason: batch });
      return JSON.stringify({ response: 'failed', info: batch });
    }
    if (take('failed')) {
      return JSON.stringify({ response: 'failed', info: 'the server cannot process this now' });
    }
    const failedByFault = take('all-failed') ? batch.length : this.#takePartialCount();
    const accepted = batch.slice(failedByFault).filter((value) => isKnown(this.known, value));
    for (const value of accepted) {
      this.values.push(value);
      journal.add('value', { ...value });
    }
    this.values.splice(0, this.values.length - maxValues);
    const failed = batch.length - accepted.length;
    journal.add('batch', { processed: accepted.length, failed });
    return formatResult(accepted.length, failed);
  }

  #takePartialCount(): number {
    const partial = this.#base.take('partial');
    return partial ? Number(partial.value ?? 1) : 0;
  }
}

/** Reads one frame from the socket, in one or several pieces, and answers it. */
function readRequest(base: Base, store: ValueStore, socket: Socket): void {
  let bytes = Buffer.alloc(0);
  const readPiece = (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    const parsed = parseFrame(bytes);
    if (parsed.state === 'part') {
      return;
    }
    socket.off('data', readPiece);
    socket.resume();
    if (parsed.state === 'wrong') {
      base.journal.add('not-a-frame', { reason: parsed.reason });
      socket.destroy();
      return;
    }
    base.journal.add('request', { bytes: bytes.length, flags: parsed.flags });
    base.guard(answerRequest(base, store, socket, parsed.body), socket);
  };
  socket.on('data', readPiece);
}

async function answerRequest({ take, delay }: Base, store: ValueStore, socket: Socket, body: string): Promise<void> {
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
    socket.end(createFrame('OK, thank you'));
    return;
  }
  await delay(take('slow'));
  const frame = createFrame(store.processRequest(body));
  socket.end(take('half-frame') ? frame.subarray(0, frame.length / 2) : frame);
}
