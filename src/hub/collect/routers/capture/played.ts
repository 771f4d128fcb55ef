// Reads a capture with the driver, through the same terminal as over SSH but without the recorded waits.
import { type Bundle, type Exchange, getBytes } from '#capture/bundle.ts';
import { Dialogue, formatRefusal } from '#capture/dialogue.ts';
import { type Clock, systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';
import { ShellError, type Snapshot, type UnreadReason } from '../driver.ts';
import { getDriver } from '../drivers.ts';
import { learnPrompt } from '../shell/prompt-learning.ts';
import { createShell } from '../shell/shell.ts';
import { type Channel, createTerminal } from '../shell/terminal.ts';

export interface PlayedRead {
  snapshot: Snapshot | null;
  /** Why the read ended early; its `sessions` are the rows before. */
  failure: ShellError | null;
  /** Lines of the NAT table that gave no session. */
  unread: { line: string; reason: UnreadReason }[];
}

/** What is typed for a password. The played router accepts everything: a capture does not hold the real one. */
const anySecret = 'played';
const settleMs = 5;
/** How long a hub waits in silence, and how long this read does. */
const idleMs = 15_000;
const playedIdleMs = 200;

/** Reads the bundle with the driver. Rejects with a ShellError when its greeting has no prompt. */
export async function readPlayed(bundle: Bundle, signal: AbortSignal, now = systemClock.now): Promise<PlayedRead> {
  let isLoggedIn = false;
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => systemClock.sleep(isLoggedIn ? (ms * playedIdleMs) / idleMs : ms, signal),
  };
  const terminal = createTerminal(openPlayedChannel(bundle), { clock, idleMs, settleMs, encoding: 'utf-8' });
  const { prompt, banner } = await learnPrompt(terminal, 8000, signal);
  isLoggedIn = true;
  await using shell = createShell(terminal, prompt, banner, '');
  const { kind, natDescriptor } = bundle.index;
  const unread: PlayedRead['unread'] = [];
  try {
    const snapshot = await getDriver(kind).collect(shell, {
      settings: { kind, nat: natDescriptor ?? '1', enablePass: anySecret },
      memory: { refused: new Set(), encoding: null, model: null },
      neighbours: true,
      leases: true,
      now,
      signal,
      onUnread: (line, reason) => unread.push({ line, reason }),
    });
    return { snapshot, failure: null, unread };
  } catch (error) {
    if (!(error instanceof ShellError) || signal.aborted) {
      throw error;
    }
    return { snapshot: null, failure: error, unread };
  }
}

/** Opens a channel to a router that plays the bundle. */
function openPlayedChannel(bundle: Bundle): Channel {
  const dialogue = new Dialogue(bundle);
  let events: Parameters<Channel['listen']>[0] | null = null;
  const due: (() => void)[] = [];
  let isSending = false;
  let typed = '';
  /** What the router waits for, and how it goes on then. */
  let waiting: { for: 'key' | 'secret'; resume: () => void } | null = null;

  const sendDue = async (): Promise<void> => {
    isSending = true;
    for (let work = due.shift(); work; work = due.shift()) {
      await yieldToEventLoop();
      work();
    }
    isSending = false;
  };
  const enqueue = (work: () => void): void => {
    due.push(work);
    if (!isSending) {
      void sendDue();
    }
  };
  const send = (bytes: Uint8Array): void => enqueue(() => events?.data(bytes));
  const sendText = (text: string): void => send(Buffer.from(text, 'latin1'));
  const close = (): void => enqueue(() => events?.closed());

  const playFrom = (exchange: Exchange, step: number, at: number): void => {
    const next = exchange.steps[step];
    if (next === undefined) {
      dialogue.finishAnswer(exchange);
      endAs(exchange.ending);
    } else if ('typed' in next) {
      waiting = { for: next.typed, resume: () => playFrom(exchange, step + 1, at) };
    } else {
      send(getBytes(bundle, exchange).subarray(at, at + next.bytes));
      playFrom(exchange, step + 1, at + next.bytes);
    }
  };
  const endAs = (ending: Exchange['ending']): void => {
    if (ending === 'prompt') {
      sendText(dialogue.prompt);
    } else if (ending === 'closed') {
      close();
    }
  };
  const answer = (line: string): void => {
    sendText(`${line}\r\n`);
    if (line.trim() === 'exit') {
      close();
      return;
    }
    const exchange = line.trim() === '' ? null : dialogue.takeAnswer(line);
    if (exchange) {
      playFrom(exchange, 0, 0);
    } else {
      sendText(line.trim() === '' ? '' : formatRefusal(bundle.index.kind));
      sendText(dialogue.prompt);
    }
  };
  const readTyped = (): void => {
    const end = typed.indexOf('\r');
    if (waiting?.for === 'key' && typed !== '') {
      const { resume } = waiting;
      waiting = null;
      typed = typed.slice(1);
      resume();
    } else if (end >= 0) {
      const line = typed.slice(0, end);
      typed = typed.slice(end + 1);
      const resume = waiting?.resume ?? (() => answer(line));
      waiting = null;
      resume();
    }
  };
  return {
    write(text) {
      typed += text;
      readTyped();
    },
    close,
    listen(listener) {
      events = listener;
      send(getBytes(bundle, bundle.index.greeting));
      sendText(dialogue.prompt);
    },
  };
}
