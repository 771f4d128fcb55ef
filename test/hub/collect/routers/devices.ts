// Scripted devices behind a channel, for the shell without SSH.
import type { Shell } from '#hub/collect/routers/driver.ts';
import { learnPrompt } from '#hub/collect/routers/shell/prompt-learning.ts';
import { createSecrecy } from '#hub/collect/routers/shell/secrecy.ts';
import { createShell } from '#hub/collect/routers/shell/shell.ts';
import { type Channel, createTerminal } from '#hub/collect/routers/shell/terminal.ts';
import { systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';

/** What a device sends when `typed` arrives; `'close'` hangs up. Each piece is a chunk of its own. */
export type Script = (typed: string) => readonly (string | Uint8Array)[] | 'close';

export interface Device {
  channel: Channel;
  /** Everything typed, in pieces as written. */
  typed: string[];
  send(...pieces: readonly (string | Uint8Array)[]): void;
}

export function createDevice(greeting: readonly (string | Uint8Array)[], script: Script): Device {
  const typed: string[] = [];
  let events: Parameters<Channel['listen']>[0] | null = null;
  let closed = false;
  let sent = Promise.resolve();
  const close = () => {
    if (!closed) {
      closed = true;
      sent = sent.then(yieldToEventLoop).then(() => events?.closed());
    }
  };
  const send = (...pieces: readonly (string | Uint8Array)[]) => {
    for (const piece of pieces) {
      sent = sent
        .then(yieldToEventLoop)
        .then(() => events?.data(typeof piece === 'string' ? Buffer.from(piece) : piece));
      // What comes in one turn is one chunk: the next piece waits until this one was looked at.
      sent = sent.then(yieldToEventLoop).then(yieldToEventLoop);
    }
  };
  const channel: Channel = {
    write(text) {
      typed.push(text);
      const answer = script(text);
      if (answer === 'close') {
        close();
      } else {
        send(...answer);
      }
    },
    close,
    listen(listener) {
      events = listener;
      send(...greeting);
    },
  };
  return { channel, typed, send };
}

export async function open(
  device: Device,
  idleMs = 2500,
  promptMs = 4000,
  secrets: readonly string[] = [],
): Promise<Shell> {
  const terminal = createTerminal(device.channel, {
    clock: systemClock,
    idleMs,
    // The scripts answer at once.
    settleMs: 50,
    encoding: 'utf-8',
    secrecy: createSecrecy(secrets),
  });
  const { prompt, banner } = await learnPrompt(terminal, promptMs, undefined);
  return createShell(terminal, prompt, banner, 'f'.repeat(64));
}
