// The input side of a terminal: type-ahead, line editing with echo, and the keys that act at once.
import { createKeyReader, type Key } from './line-editor.ts';
import { type Output, SessionEnded, type Wire } from './output.ts';

export interface Keyboard {
  feed(bytes: Uint8Array): void;
  /** One edited line without its end; null when it was interrupted. */
  line(echo: boolean): Promise<readonly number[] | null>;
  /** One character that means something by itself, such as the answer to Y/N; never echoed here. */
  character(): Promise<string>;
  /** The next key typed from now on, past everything typed ahead: what a pager listens to. */
  direct(): Promise<Key>;
  /** While on, Ctrl-C interrupts the output in place of going to the line. */
  watchInterrupt(on: boolean): void;
  isInterrupted(): boolean;
}

interface Waiter {
  resolve: (key: Key) => void;
  reject: (error: Error) => void;
}

export function createKeyboard(lineEnds: 'each' | 'once', wire: Wire, output: Output): Keyboard {
  const read = createKeyReader(lineEnds);
  const ahead: Key[] = [];
  let waiter: Waiter | null = null;
  let watching = false;
  let interrupted = false;

  wire.closed.addEventListener('abort', () => waiter?.reject(new SessionEnded()), { once: true });

  const direct = () =>
    new Promise<Key>((resolve, reject) => {
      if (wire.closed.aborted) {
        reject(new SessionEnded());
      }
      waiter = { resolve, reject };
    });
  const next = async () => ahead.shift() ?? (await direct());

  const take = (key: Key) => {
    if (key.kind === 'stop') {
      output.stop();
    } else if (key.kind === 'resume') {
      output.resume();
    } else if (waiter) {
      const { resolve } = waiter;
      waiter = null;
      resolve(key);
    } else if (key.kind === 'interrupt' && watching) {
      interrupted = true;
      output.resume();
      ahead.length = 0;
    } else {
      ahead.push(key);
    }
  };

  return {
    feed: (bytes) => {
      for (const key of read(bytes)) {
        take(key);
      }
    },
    direct,
    async line(echo) {
      const typed: number[] = [];
      let shown = '';
      const flush = async () => {
        const text = shown;
        shown = '';
        if (echo && text !== '') {
          await output.send(Buffer.from(text, 'latin1'));
        }
      };
      for (;;) {
        if (ahead.length === 0) {
          await flush();
        }
        const key = await next();
        if (key.kind === 'end' || key.kind === 'interrupt') {
          await flush();
          return key.kind === 'end' ? typed : null;
        }
        if (key.kind === 'character') {
          typed.push(key.byte);
          shown += String.fromCharCode(key.byte);
        } else {
          const count = key.kind === 'kill' ? typed.length : Math.min(1, typed.length);
          typed.length -= count;
          shown += '\b \b'.repeat(count);
        }
      }
    },
    async character() {
      for (;;) {
        const key = await next();
        if (key.kind === 'character') {
          return String.fromCharCode(key.byte);
        }
        if (key.kind === 'interrupt') {
          return '';
        }
      }
    },
    watchInterrupt(on) {
      watching = on;
      interrupted = false;
    },
    isInterrupted: () => interrupted,
  };
}
