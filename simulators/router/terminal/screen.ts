// What a terminal shows: texts, tables with the faults that disturb them, captures, and log lines in between.
import type { Clock } from '#kernel/time/clock.ts';
import type { Random } from '../../support/random.ts';
import type { ArmedFault, Faults, RouterFault } from '../faults.ts';
import type { Latency } from '../latency.ts';
import type { WorldView } from '../model.ts';
import { secretAt, secretRows } from '../secret-places.ts';
import type { Login, Vendor } from '../vendor.ts';
import { encode } from './encoding.ts';
import type { Keyboard } from './keyboard.ts';
import { type Output, throwEnded, untilClosed, type Wire } from './output.ts';
import { printLines } from './printer.ts';

export interface ScreenOptions {
  vendor: Vendor;
  world: WorldView;
  login: Login;
  wire: Wire;
  output: Output;
  keyboard: Keyboard;
  clock: Clock;
  latency: Latency;
  faults: Faults;
  random: Random;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

export interface Screen {
  /** Text as it is, in the router's character set or in the encoding given. */
  say(text: string, encoding?: string): Promise<void>;
  /** Lines as the output of a command, paged and wrapped. */
  print(lines: Iterable<string>, command: string): Promise<void>;
  /** Bytes exactly as given. */
  replay(bytes: Uint8Array, command: string): Promise<void>;
  /** A log line: between two rows while something is printed, else at once. */
  log(text: string): Promise<void>;
  pause(ms: number): Promise<void>;
  isPrinting(): boolean;
}

/** Rows of a page when a fault pages a session that asked for none. */
const stubbornPage = 23;

export function createScreen(options: ScreenOptions): Screen {
  const { vendor, world, login, wire, output, keyboard, clock, latency, faults, random, note } = options;
  const logs: string[] = [];
  let printing = false;

  const say = (text: string, encoding = vendor.encoding(world)) => output.send(encode(text, encoding));

  /** The fault that ends the output of this command early, if one is armed. */
  const cutOf = (command: string) => {
    const cuts: readonly (readonly [RouterFault, number, (armed: ArmedFault) => void])[] = [
      ['truncated', 600, ({ value }) => wire.cut(value === 'end' || value === 'close' ? value : 'destroy')],
      ['stall', 600, () => undefined],
      ['kicked', 0, () => wire.cut('exit')],
      ['drop', 0, () => wire.cut('reset')],
    ];
    for (const [fault, afterBytes, act] of cuts) {
      const armed = faults.take(fault, command);
      if (armed) {
        note('fault', { fault, command });
        return {
          afterBytes: armed.afterBytes ?? afterBytes,
          act: () => {
            act(armed);
            return untilClosed(wire);
          },
        };
      }
    }
    return null;
  };

  /** The lines as the faults of this command change, replace or repeat them. */
  const disturbed = (lines: Iterable<string>, command: string): Iterable<string> => {
    const { credentials, settings } = world;
    const inError = secretAt('error', faults, credentials, command);
    if (inError !== null) {
      return [vendor.kind === 'vendor_a' ? `Error: ${inError}` : `% Invalid input detected at ${inError}`];
    }
    const model = secretAt('model', faults, credentials, command)?.split(' ').join('-');
    if (model !== undefined) {
      return replaced(lines, settings.model, model);
    }
    if (secretAt('row', faults, credentials, command) !== null) {
      return chained(lines, secretRows(credentials));
    }
    const endless = faults.take('endless', command);
    return endless ? withoutEnd(lines, endless.value) : lines;
  };

  /** Never returns; rejects when the session is over. */
  const lineWithoutEnd = async (): Promise<never> => {
    for (;;) {
      await output.send(Buffer.alloc(8192, 'x'));
    }
  };

  const rows = async (text: Iterable<string>, command: string) => {
    const lines = disturbed(text, command);
    const rest = lines[Symbol.iterator]();
    const first = rest.next();
    if (first.done) {
      return;
    }
    const { text: question, erase, rows: page } = vendor.pager(world, login);
    const wrap = faults.take('wrap', command);
    const noise = faults.take('garbage', command);
    const logged = faults.take('log-lines', command);
    const slow = faults.take('slow-output', command);
    output.setRate(slow ? Number(slow.value ?? 2_000) : latency.bytesPerSecond);
    output.setPieces(faults.take('dribble', command) ? 1 : null);
    await printLines(chained([first.value], { [Symbol.iterator]: () => rest }), {
      encoding: vendor.encoding(world),
      wrapAt: wrap ? Number(wrap.value ?? 80) : vendor.wrapAt(world, login),
      pager: { text: question, erase, rows: page ?? (faults.take('pager', command) ? stubbornPage : null) },
      logLine: logged ? vendor.logLine(world, String(logged.value ?? 'LAN2: link up')) : null,
      noise: noise ? { random, first: Number(noise.value ?? 0) } : null,
      cut: cutOf(command),
      send: output.send,
      pagerKey: (meaning) =>
        keyboard.direct((key) => {
          note('pager-key', { key: key.kind === 'character' ? String.fromCharCode(key.byte) : key.kind });
          return meaning(key);
        }),
      isInterrupted: keyboard.isInterrupted,
      takeLogs: () => logs.splice(0),
    });
  };

  return {
    say,
    async print(lines, command) {
      printing = true;
      keyboard.watchInterrupt(true);
      try {
        await (faults.take('endless-line', command) ? lineWithoutEnd() : rows(lines, command));
        const last = secretAt('hang-up', faults, world.credentials, command);
        if (last !== null) {
          await say(`${last}\r\n`);
          wire.cut('exit');
          await untilClosed(wire);
        }
      } finally {
        printing = false;
        keyboard.watchInterrupt(false);
        output.setRate(null);
        output.setPieces(null);
      }
    },
    async replay(bytes, command) {
      const cut = cutOf(command);
      await output.send(cut ? bytes.subarray(0, Math.min(cut.afterBytes, Math.floor(bytes.length / 2))) : bytes);
      if (!cut && bytes.length > 0 && bytes.at(-1) !== lineFeed) {
        await output.send(endOfLine);
      }
      await cut?.act();
    },
    async log(text) {
      const line = vendor.logLine(world, text);
      if (printing) {
        logs.push(line);
      } else {
        await say(`\r\n${line}\r\n`);
      }
    },
    async pause(ms) {
      if (ms > 0) {
        await clock.sleep(ms, wire.closed).catch(throwEnded);
      }
    },
    isPrinting: () => printing,
  };
}

/** A capture that lost its last line end gets one: a router never prompts in the middle of a line. */
const endOfLine = Buffer.from('\r\n');
const lineFeed = 0x0a;

function* chained<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) {
    yield* part;
  }
}

function* replaced(lines: Iterable<string>, what: string, by: string): Generator<string> {
  for (const line of lines) {
    yield line.replaceAll(what, by);
  }
}

/** Lines of an output held to be repeated. */
const repeatedLines = 1000;

function* withoutEnd(lines: Iterable<string>, text: number | string | undefined): Generator<string> {
  const kept: string[] = text === undefined ? [] : [String(text)];
  if (text === undefined) {
    for (const line of lines) {
      if (kept.length < repeatedLines) {
        kept.push(line);
      }
      yield line;
    }
  }
  for (;;) {
    yield* kept.length === 0 ? [''] : kept;
  }
}
