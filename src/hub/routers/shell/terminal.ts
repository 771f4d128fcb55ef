// One exchange at a time over a byte channel, with its ends: settled, failed, silent, aborted, closed. Knows no SSH.
import { type Clock, systemClock } from '#kernel/clock.ts';
import { ShellError } from '../driver.ts';
import { printable } from '../reader.ts';
import { startIdleWatch } from './idle-watch.ts';
import { createScreen, type Screen } from './screen.ts';

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
  /** WHATWG label to start with. */
  encoding: string;
}

/** What one exchange is told while it runs; each returns after at most one state change. */
export interface Exchange {
  line?(text: string): void;
  noise?(text: string): void;
  /** Bytes were read; the screen shows what they led to. */
  changed(): void;
  closed(): void;
}

/** Time without a byte after which what stands on the screen counts as settled; real time, as the bytes are. */
export const settleMs = 300;

export interface Terminal {
  readonly screen: Screen;
  readonly clock: Clock;
  readonly idleMs: number;
  /** The last whole line, made printable: what a device said before it hung up. */
  lastLine(): string;
  isClosed(): boolean;
  /** An exchange is running. */
  isBusy(): boolean;
  write(text: string): void;
  close(): void;
  /** Runs `exchange` until `settle` or `fail` is called. A failure that leaves the answer open closes the channel. */
  exchange<T>(signal: AbortSignal | undefined, idleMs: number, start: (over: Over<T>) => Exchange): Promise<T>;
}

export interface Over<T> {
  settle(value: T): void;
  fail(error: Error): void;
  /** Runs `then` when no byte arrives for `ms` of real time; a byte before that cancels it. */
  whenQuiet(ms: number, then: () => void): void;
}

export function createTerminal(channel: Channel, options: TerminalOptions): Terminal {
  let current: Exchange | null = null;
  let closed = false;
  let leaving = false;
  let lastLine = '';
  const screen = createScreen(options.encoding, {
    line(text) {
      lastLine = text.trim() === '' ? lastLine : printable(text);
      current?.line?.(text);
    },
    noise: (text) => current?.noise?.(text),
  });
  channel.listen({
    data(bytes) {
      screen.feed(bytes);
      current?.changed();
    },
    closed() {
      closed = true;
      current?.closed();
    },
  });
  const terminal: Terminal = {
    screen,
    clock: options.clock,
    idleMs: options.idleMs,
    lastLine: () => lastLine,
    isClosed: () => closed || leaving,
    isBusy: () => current !== null,
    write: (text) => channel.write(text),
    close() {
      leaving = true;
      channel.close();
    },
    async exchange(signal, idleMs, start) {
      signal?.throwIfAborted();
      if (closed || leaving) {
        throw cutOff(lastLine);
      }
      if (current) {
        throw new Error('a command was started while another one was still running on the same connection');
      }
      try {
        return await converse(terminal, signal, idleMs, start, (next) => {
          current = next;
        });
      } finally {
        current = null;
      }
    },
  };
  return terminal;
}

function converse<T>(
  terminal: Terminal,
  signal: AbortSignal | undefined,
  idleMs: number,
  start: (over: Over<T>) => Exchange,
  attach: (exchange: Exchange) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let quiet: AbortController | null = null;
    const stop = (): void => {
      quiet?.abort();
      watch.stop();
      signal?.removeEventListener('abort', aborted);
    };
    const fail = (error: unknown): void => {
      stop();
      terminal.close();
      reject(error);
    };
    const aborted = (): void => fail(signal?.reason);
    const watch = startIdleWatch(terminal.clock, idleMs, () => fail(silent(terminal, idleMs)));
    const exchange = start({
      settle(value) {
        stop();
        resolve(value);
      },
      fail,
      whenQuiet(ms, then) {
        quiet?.abort();
        const own = new AbortController();
        quiet = own;
        systemClock.sleep(ms, own.signal).then(then, () => undefined);
      },
    });
    attach({
      ...exchange,
      changed() {
        watch.touch();
        quiet?.abort();
        exchange.changed();
      },
      closed() {
        stop();
        exchange.closed();
      },
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Why an answer stopped coming: at the pager's question, or just so. */
function silent(terminal: Terminal, idleMs: number): ShellError {
  const seconds = Math.round(idleMs / 1000);
  const facts = { lastLine: terminal.lastLine() };
  return terminal.screen.isPaused()
    ? new ShellError(
        'paging_stuck',
        `The router waits for a key to show more and does not go on when it gets one. Turn paging off for this user.`,
        facts,
      )
    : new ShellError(
        'timed_out',
        `The router sent nothing for ${seconds} s in the middle of an answer. It may be overloaded or the network cut; the next poll connects anew.`,
        facts,
      );
}

export function cutOff(lastLine: string): ShellError {
  const message =
    'The router closed the connection before its answer was complete. What was known is kept; the next poll connects anew.';
  return new ShellError('cut_off', message, { lastLine });
}
