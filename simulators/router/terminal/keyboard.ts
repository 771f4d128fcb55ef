// The input side of a terminal: type-ahead, line editing with echo, and the keys that act at once.
import { createKeyReader, type Key } from './line-editor.ts';
import { type Output, SessionEnded, type Wire } from './output.ts';

interface Waiter {
  /** True when this was the key waited for. */
  take: (key: Key) => boolean;
  reject: (error: Error) => void;
}

export type Keyboard = ReturnType<typeof createKeyboard>;

export function createKeyboard(lineEnds: 'each' | 'once', wire: Wire, output: Output) {
  const read = createKeyReader(lineEnds);
  const ahead: Key[] = [];
  let waiter: Waiter | null = null;
  let watching = false;
  let interrupted = false;

  wire.closed.addEventListener('abort', () => waiter?.reject(new SessionEnded()), { once: true });

  /**
   * What the first key that means something means, past everything typed ahead: a pager listens this way. It listens
   * from the call on until there is a meaning; keys that have none (undefined) are lost.
   */
  const direct = <T>(meaning: (key: Key) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      if (wire.closed.aborted) {
        reject(new SessionEnded());
      }
      const hear = (key: Key) => {
        const meant = meaning(key);
        if (meant !== undefined) {
          resolve(meant);
        }
        return meant !== undefined;
      };
      waiter = { take: hear, reject };
    });
  const next = async () => ahead.shift() ?? (await direct((key) => key));

  const take = (key: Key) => {
    if (key.kind === 'stop') {
      output.stop();
    } else if (key.kind === 'resume') {
      output.resume();
    } else if (waiter) {
      waiter = waiter.take(key) ? null : waiter;
    } else if (key.kind === 'interrupt' && watching) {
      interrupted = true;
      output.resume();
      ahead.length = 0;
    } else {
      ahead.push(key);
    }
  };

  return {
    feed(bytes: Uint8Array): void {
      for (const key of read(bytes)) {
        take(key);
      }
    },
    direct,
    /** One edited line without its end; null when it was interrupted. */
    async line(echo: boolean): Promise<readonly number[] | null> {
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
    /** One character that means something by itself, such as the answer to Y/N; never echoed here. */
    async character(): Promise<string> {
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
    /** While on, Ctrl-C interrupts the output instead of going to the line. */
    watchInterrupt(on: boolean): void {
      watching = on;
      interrupted = false;
    },
    isInterrupted: () => interrupted,
  };
}
