// What a terminal shows: texts, tables with the faults that disturb them, captures, and log lines in between.
import type { Clock } from '#kernel/time/clock.ts';
import type { Random } from '../../support/random.ts';
import type { ArmedFault, Faults, RouterFault } from '../faults.ts';
import type { Latency } from '../latency.ts';
import type { WorldView } from '../model.ts';
import { secretRows, takeSecret } from '../secret-places.ts';
import type { Login, Played, Vendor } from '../vendor.ts';
import { encode } from './encoding.ts';
import type { Keyboard } from './keyboard.ts';
import type { Key } from './line-editor.ts';
import { type Output, throwEnded, untilClosed, type Wire } from './output.ts';
import { printLines } from './printer.ts';

export interface LoginContext {
  vendor: Vendor;
  world: WorldView;
  login: Login;
  wire: Wire;
  clock: Clock;
  latency: Latency;
  faults: Faults;
  random: Random;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

export interface ScreenOptions extends LoginContext {
  output: Output;
  keyboard: Keyboard;
}

/** Rows of a page when a fault pages a session that asked for none. */
const stubbornPage = 23;

export class Screen {
  readonly #options: ScreenOptions;
  /** Log lines that wait for the next row. */
  readonly #logs: string[] = [];
  #isPrinting = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  get isPrinting(): boolean {
    return this.#isPrinting;
  }

  /** Sends text as it is, in the router's character set or in the encoding given. */
  say(text: string, encoding?: string): Promise<void> {
    const { vendor, world, output } = this.#options;
    return output.send(encode(text, encoding ?? vendor.encoding(world)));
  }

  /** Sends lines as the output of a command, paged and wrapped. */
  async print(lines: Iterable<string>, command: string): Promise<void> {
    const { world, wire, output, keyboard, faults } = this.#options;
    this.#isPrinting = true;
    keyboard.watchInterrupt(true);
    try {
      await (faults.take('endless-line', command) ? this.#sendEndlessLine() : this.#sendRows(lines, command));
      const last = takeSecret('hang-up', faults, world.credentials, command);
      if (last !== null) {
        await this.say(`${last}\r\n`);
        wire.cut('exit');
        await untilClosed(wire);
      }
    } finally {
      this.#isPrinting = false;
      keyboard.watchInterrupt(false);
      output.setRate(null);
      output.setPieces(null);
    }
  }

  async replay(bytes: Uint8Array, command: string): Promise<void> {
    const { output } = this.#options;
    const cut = this.#takeCut(command);
    await output.send(cut ? bytes.subarray(0, Math.min(cut.afterBytes, Math.floor(bytes.length / 2))) : bytes);
    if (!cut && bytes.length > 0 && bytes.at(-1) !== lineFeed) {
      await output.send(endOfLine);
    }
    await cut?.act();
  }

  /** Sends bytes with the times of a capture, and waits for a key where its client typed one. */
  async play(played: Played, command: string): Promise<void> {
    const cut = this.#takeCut(command);
    const most = cut ? Math.min(cut.afterBytes, Math.floor(played.bytes.length / 2)) : null;
    this.#isPrinting = true;
    try {
      await this.#playSteps(played, most);
    } finally {
      this.#isPrinting = false;
    }
    await cut?.act();
  }

  /** Stops after `most` bytes, unless it is null. */
  async #playSteps({ bytes, steps }: Played, most: number | null): Promise<void> {
    const { output, latency } = this.#options;
    let at = 0;
    for (const step of steps) {
      if (most !== null && at >= most) {
        return;
      }
      if ('typed' in step) {
        await this.#waitForKey((key) => (key.kind === 'character' || key.kind === 'end' ? true : undefined));
        continue;
      }
      await this.pause(latency.pauses ? step.afterMs : 0);
      await output.send(bytes.subarray(at, Math.min(at + step.bytes, most ?? bytes.length)));
      at += step.bytes;
    }
  }

  /** The connection ends or falls silent, as that of a capture did. */
  endAs(ending: 'closed' | 'silent'): Promise<never> {
    const { wire } = this.#options;
    if (ending === 'closed') {
      wire.cut('destroy');
    }
    return untilClosed(wire);
  }

  /** Shows a log line: between two rows while something is printed, else at once. */
  async log(text: string): Promise<void> {
    const { vendor, world } = this.#options;
    const line = vendor.logLine(world, text);
    if (this.#isPrinting) {
      this.#logs.push(line);
    } else {
      await this.say(`\r\n${line}\r\n`);
    }
  }

  async pause(ms: number): Promise<void> {
    const { clock, wire } = this.#options;
    if (ms > 0) {
      await clock.sleep(ms, wire.closed).catch(throwEnded);
    }
  }

  async #sendRows(text: Iterable<string>, command: string): Promise<void> {
    const { vendor, world, login, output, keyboard, latency, faults, random } = this.#options;
    const rest = this.#disturb(text, command)[Symbol.iterator]();
    const first = rest.next();
    if (first.done) {
      return;
    }
    const pager = vendor.pager(world, login);
    const wrap = faults.take('wrap', command);
    const noise = faults.take('garbage', command);
    const logged = faults.take('log-lines', command);
    const slow = faults.take('slow-output', command);
    output.setRate(slow ? Number(slow.value ?? 2_000) : latency.bytesPerSecond);
    output.setPieces(faults.take('dribble', command) ? 1 : null);
    await printLines(chain([first.value], { [Symbol.iterator]: () => rest }), {
      encoding: vendor.encoding(world),
      wrapAt: wrap ? Number(wrap.value ?? 80) : vendor.wrapAt(world, login),
      pager: { ...pager, rows: pager.rows ?? (faults.take('pager', command) ? stubbornPage : null) },
      logLine: logged ? vendor.logLine(world, String(logged.value ?? 'LAN2: link up')) : null,
      noise: noise ? { random, first: Number(noise.value ?? 0) } : null,
      cut: this.#takeCut(command),
      send: output.send,
      pagerKey: (meaning) => this.#waitForKey(meaning),
      isInterrupted: keyboard.isInterrupted,
      takeLogs: () => this.#logs.splice(0),
    });
  }

  #waitForKey<T>(meaning: (key: Key) => T | undefined): Promise<T> {
    const { keyboard, note } = this.#options;
    return keyboard.direct((key) => {
      note('pager-key', { key: key.kind === 'character' ? String.fromCharCode(key.byte) : key.kind });
      return meaning(key);
    });
  }

  /** The fault that ends the output of this command early, if one is armed. */
  #takeCut(command: string) {
    const { wire, faults, note } = this.#options;
    for (const { fault, afterBytes, act } of cuts) {
      const armed = faults.take(fault, command);
      if (armed) {
        note('fault', { fault, command });
        return {
          afterBytes: armed.afterBytes ?? afterBytes,
          act: () => {
            act(wire, armed);
            return untilClosed(wire);
          },
        };
      }
    }
    return null;
  }

  /** The lines as the faults of this command change, replace or repeat them. */
  #disturb(lines: Iterable<string>, command: string): Iterable<string> {
    const { vendor, world, faults } = this.#options;
    const { credentials, settings } = world;
    const inError = takeSecret('error', faults, credentials, command);
    if (inError !== null) {
      return [vendor.kind === 'vendor_a' ? `Error: ${inError}` : `% Invalid input detected at ${inError}`];
    }
    const model = takeSecret('model', faults, credentials, command)?.split(' ').join('-');
    if (model !== undefined) {
      return replaceText(lines, settings.model, model);
    }
    if (takeSecret('row', faults, credentials, command) !== null) {
      return chain(lines, secretRows(credentials));
    }
    const endless = faults.take('endless', command);
    return endless ? repeatLines(lines, endless.value) : lines;
  }

  /** Never returns; rejects when the session is over. */
  async #sendEndlessLine(): Promise<never> {
    for (;;) {
      await this.#options.output.send(Buffer.alloc(8192, 'x'));
    }
  }
}

/** Faults that end an output early, the first one first. `afterBytes` applies when the fault names no number. */
const cuts: readonly { fault: RouterFault; afterBytes: number; act: (wire: Wire, armed: ArmedFault) => void }[] = [
  {
    fault: 'truncated',
    afterBytes: 600,
    act: (wire, { value }) => wire.cut(value === 'end' || value === 'close' ? value : 'destroy'),
  },
  { fault: 'stall', afterBytes: 600, act: () => undefined },
  { fault: 'kicked', afterBytes: 0, act: (wire) => wire.cut('exit') },
  { fault: 'drop', afterBytes: 0, act: (wire) => wire.cut('reset') },
];

/** A capture that lost its last line end gets one: a router never prompts in the middle of a line. */
const endOfLine = Buffer.from('\r\n');
const lineFeed = 0x0a;

function* chain<T>(...parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) {
    yield* part;
  }
}

function* replaceText(lines: Iterable<string>, what: string, by: string): Generator<string> {
  for (const line of lines) {
    yield line.replaceAll(what, by);
  }
}

const repeatedLines = 1000;

function* repeatLines(lines: Iterable<string>, text: number | string | undefined): Generator<string> {
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
