// One exchange at a time over a byte channel, with its ends: settled, failed, silent, aborted, closed. Knows no SSH.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { ShellError } from '../driver.ts';
import { printable } from '../reader.ts';
import { createBatch } from './batch.ts';
import type { ScreenLine } from './decoder.ts';
import { startIdleWatch } from './idle-watch.ts';
import { createQuietWatch } from './quiet-watch.ts';
import { createScreen, type Screen } from './screen.ts';
import { createSecrecy, type Secrecy } from './secrecy.ts';
import { megabytes, tooMuchOutput } from './too-much.ts';

/** The byte stream of an interactive shell. */
export interface Channel {
  write(text: string): void;
  /** Ends it at once; `closed` follows. */
  close(): void;
  /** Called once, before any data is lost. */
  listen(events: { data(bytes: Uint8Array): void; closed(): void }): void;
}

export interface TerminalOptions {
  clock: Clock;
  /** Default for `RunOptions.idleMs`. */
  idleMs: number;
  /** Time without a byte after which what stands on the screen counts as settled; 300 when absent. */
  settleMs?: number | undefined;
  /** WHATWG label to start with. */
  encoding: string;
  /** Judges the texts of the device that are shown; none is held back when absent. */
  secrecy?: Secrecy;
}

/** What one exchange is told while it runs; each returns after at most one state change. What one throws ends it. */
export interface Exchange {
  line?(line: ScreenLine): void;
  /** Bytes were read, as many as came in one turn; the screen shows what they led to. */
  changed(): void;
  closed(): void;
  /** Why nothing came for too long, where the exchange knows better than "nothing came". */
  silent?(): ShellError | null;
}

/** How long and how much an exchange may be. */
export interface Bounds {
  signal: AbortSignal | undefined;
  /** Longest silence in milliseconds. */
  idleMs: number;
  /** Bytes of the device. */
  bytes: number;
}

export interface Terminal {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly idleMs: number;
  /** Time without a byte after which what stands on the screen counts as settled; real time, as the bytes are. */
  readonly settleMs: number;
  readonly secrecy: Secrecy;
  /** The last whole line, fit to be shown: what a device said before it hung up. */
  lastLine(): string;
  isClosed(): boolean;
  /** An exchange is running. */
  isBusy(): boolean;
  write(text: string): void;
  close(): void;
  /**
   * Runs `exchange` until `settle` or `fail` is called. A failure that leaves the answer open closes the channel, and so
   * does a device that sends more than it may (`too_much_output`), also between two exchanges.
   */
  exchange<T>(bounds: Bounds, start: (over: Over<T>) => Exchange): Promise<T>;
}

export interface Over<T> {
  settle(value: T): void;
  fail(error: Error): void;
  /** Runs `then` when no byte arrives for `ms` of real time; a byte before that cancels it. */
  whenQuiet(ms: number, then: () => void): void;
}

/** An exchange that cannot throw. */
interface Running extends Required<Omit<Exchange, 'silent'>> {
  bytes: number;
  fail(error: unknown): void;
}

export function createTerminal(channel: Channel, options: TerminalOptions): Terminal {
  const secrecy = options.secrecy ?? createSecrecy([]);
  let current: Running | null = null;
  let closed = false;
  let leaving = false;
  let lastLine = '';
  let received = 0;
  const screen = createScreen(options.encoding, (line) => {
    lastLine = line.isDamaged || line.text.trim() === '' ? lastLine : line.text;
    secrecy.watch(line.text);
    current?.line(line);
  });
  const terminal: Terminal = {
    screen,
    clock: options.clock,
    idleMs: options.idleMs,
    settleMs: options.settleMs ?? 300,
    secrecy,
    lastLine: () => printable(secrecy.line(lastLine)),
    isClosed: () => closed || leaving,
    isBusy: () => current !== null,
    write: (text) => channel.write(text),
    close() {
      leaving = true;
      channel.close();
    },
    async exchange(bounds, start) {
      bounds.signal?.throwIfAborted();
      if (closed || leaving) {
        throw cutOff(terminal.lastLine());
      }
      if (current) {
        throw new Error('a command was started while another one was still running on the same connection');
      }
      received = 0;
      try {
        return await converse(terminal, bounds, start, (next) => {
          current = next;
        });
      } finally {
        current = null;
        received = 0;
      }
    },
  };

  /** Within the bounds: a device that goes on when nobody asked is left, the next poll connects anew. */
  const mayTake = (bytes: number): boolean => {
    received += bytes;
    if (leaving || received <= (current?.bytes ?? limits.dialogueBytes)) {
      return !leaving;
    }
    if (current) {
      current.fail(tooMuchOutput(`${megabytes(current.bytes)} in one answer`));
    } else {
      terminal.close();
    }
    return false;
  };
  const batch = createBatch(
    (bytes) => {
      if (mayTake(bytes.length)) {
        screen.feed(bytes);
      }
    },
    () => current?.changed(),
  );
  channel.listen({
    data: batch.add,
    closed() {
      batch.end();
      closed = true;
      current?.closed();
    },
  });
  return terminal;
}

function converse<T>(
  terminal: Terminal,
  { signal, idleMs, bytes }: Bounds,
  start: (over: Over<T>) => Exchange,
  attach: (exchange: Running) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const quiet = createQuietWatch();
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      quiet.stop();
      watch.stop();
      signal?.removeEventListener('abort', aborted);
    };
    const fail = (error: unknown): void => {
      stop();
      terminal.close();
      reject(error);
    };
    const aborted = (): void => fail(signal?.reason);
    /** A step of the exchange: none after its end, and what it throws is its end. */
    const step = (run: (() => void) | undefined): void => {
      try {
        if (!isOver) {
          run?.();
        }
      } catch (error) {
        fail(error);
      }
    };
    const watch = startIdleWatch(terminal.clock, idleMs, () => fail(exchange.silent?.() ?? silent(terminal, idleMs)));
    const exchange = start({
      settle(value) {
        stop();
        resolve(value);
      },
      fail,
      whenQuiet: (ms, then) => quiet.want(ms, () => step(then)),
    });
    attach({
      bytes,
      fail,
      line: (line) => step(() => exchange.line?.(line)),
      changed() {
        watch.touch();
        quiet.cancel();
        step(() => exchange.changed());
      },
      closed() {
        step(() => exchange.closed());
        stop();
      },
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

function silent(terminal: Terminal, idleMs: number): ShellError {
  return new ShellError(
    'answer_late',
    `The router sent nothing for ${Math.round(idleMs / 1000)} s in the middle of an answer. It may be overloaded or the network cut; the next poll connects anew.`,
    { lastLine: terminal.lastLine() },
  );
}

export function cutOff(lastLine: string): ShellError {
  const message =
    'The router closed the connection before its answer was complete. What was read before stays; the next poll connects again.';
  return new ShellError('cut_off', message, { lastLine });
}
