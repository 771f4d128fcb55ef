// Follows a text file as it grows, over rotation: a new file under the same name, or the same file emptied.
import { type FileHandle, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { limits } from '#contract/limits.ts';
import { type Clock, yieldToEventLoop } from '#kernel/time/clock.ts';
import { describeCause } from '../../base/refusals.ts';
import { createStatement, type Message, toMessage } from '../../base/statements.ts';

/** `message`: what to do; empty while it follows. */
export interface TailState extends Message {
  state: 'waiting' | 'following' | 'failed';
}

export interface TailOptions {
  file: string;
  clock: Clock;
  /** Whole lines without their ends; the next ones come when it has resolved. */
  onLines(lines: readonly string[]): Promise<void>;
  onState(state: TailState): void;
  /** Opens the file for reading; rejects with the reason when it may not be followed (any more). */
  open(): Promise<FileHandle>;
}

interface Following {
  handle: FileHandle;
  identity: string;
  position: number;
  /** A line whose end has not come. */
  rest: string;
  decoder: StringDecoder;
}

const chunkBytes = 65_536;

/** Begins at the end of a file that exists, at the beginning of one that comes later. What is being written is not missed. */
export function startTail(options: TailOptions): AsyncDisposable {
  const stop = new AbortController();
  const ended = follow(options, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the log is not followed any more'));
      await ended;
    },
  };
}

async function follow(options: TailOptions, signal: AbortSignal): Promise<void> {
  let current: Following | null = null;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      try {
        current ??= await openTail(options, isFirst);
        isFirst = false;
        await readOn(current, options, signal);
        current = await afterRotation(current, options, signal);
        options.onState({ state: 'following', ...toMessage() });
      } catch (error) {
        await current?.handle.close();
        current = null;
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        isFirst &&= !isMissing;
        options.onState(isMissing ? describeMissing(options) : describeUnreadable(options, error));
      }
      await options.clock.sleep(limits.logPollMs, signal).catch(() => undefined);
    }
  } finally {
    await current?.handle.close();
  }
}

function describeMissing({ file }: TailOptions): TailState {
  return { state: 'waiting', ...toMessage(createStatement('log_missing', `${file} does not exist yet`, { file })) };
}

function describeUnreadable({ file }: TailOptions, error: unknown): TailState {
  const about = describeCause(error);
  const sentence = `${file} cannot be read: ${about.detail}`;
  return { state: 'failed', ...toMessage(createStatement('log_unreadable', sentence, { file, ...about })) };
}

async function openTail(options: TailOptions, atEnd: boolean): Promise<Following> {
  const handle = await options.open();
  const { size, dev, ino } = await handle.stat();
  return {
    handle,
    identity: `${dev}:${ino}`,
    position: atEnd ? size : 0,
    rest: '',
    decoder: new StringDecoder('utf8'),
  };
}

/** Reads to the end of what is there now. */
async function readOn(current: Following, { onLines }: TailOptions, signal: AbortSignal): Promise<void> {
  if ((await current.handle.stat()).size < current.position) {
    Object.assign(current, { position: 0, rest: '', decoder: new StringDecoder('utf8') });
  }
  const buffer = Buffer.alloc(chunkBytes);
  for (;;) {
    const { bytesRead } = await current.handle.read(buffer, 0, chunkBytes, current.position);
    if (bytesRead === 0 || signal.aborted) {
      return;
    }
    current.position += bytesRead;
    const lines = `${current.rest}${current.decoder.write(buffer.subarray(0, bytesRead))}`.split('\n');
    // A line without end would grow for ever: what is too long to be one of ours is dropped.
    const rest = lines.pop() ?? '';
    current.rest = rest.length > limits.logLine ? '' : rest;
    await onLines(lines.map((line) => line.replace(/\r$/, '')).filter((line) => line.length <= limits.logLine));
    await yieldToEventLoop();
  }
}

/** The file that has the name now, when it is another one; the old one is read to its end first. */
async function afterRotation(current: Following, options: TailOptions, signal: AbortSignal): Promise<Following> {
  const named = await stat(options.file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (!named || `${named.dev}:${named.ino}` === current.identity) {
    return current;
  }
  await readOn(current, options, signal);
  const next = await openTail(options, false);
  await current.handle.close();
  await readOn(next, options, signal);
  return next;
}
