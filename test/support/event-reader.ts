// A reader of server-sent events as far as a test needs one: fields, comments, the end, and a reader that does not read.
import http from 'node:http';

export interface ReceivedEvent {
  event: string;
  id: string | undefined;
  data: unknown;
}

export interface EventReader extends Disposable {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Names of all events so far, in order. */
  readonly names: readonly string[];
  /** The last id so far; empty before any. */
  lastId(): string;
  /** Comments so far. */
  comments(): number;
  /** The next event of this name not asked for yet, skipping others; rejects when the stream ends before it. */
  next(name?: string): Promise<ReceivedEvent>;
  /** Resolves when the answer is over or cut off. */
  readonly ended: Promise<void>;
  pause(): void;
  resume(): void;
}

/** Opens `GET /api/events`; resolves when the answer begins. */
export async function readEvents(url: URL, headers: Record<string, string>): Promise<EventReader> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(new URL('/api/events', url), { headers, agent: false }, resolve).on('error', reject);
  });
  const state = { text: '', comments: 0, lastId: '', isOver: false };
  const events: ReceivedEvent[] = [];
  const names: string[] = [];
  const wake = new Set<() => void>();
  const wakeAll = () => {
    for (const waiting of [...wake]) {
      waiting();
    }
  };
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (state.text + chunk).split('\n\n');
    state.text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) {
        events.push(event);
        state.lastId = copied(event.id ?? state.lastId);
        names.push(copied(event.event));
      } else {
        state.comments += 1;
      }
    }
    wakeAll();
  });
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      state.isOver = true;
      wakeAll();
      resolve();
    });
  });
  response.on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    names,
    lastId: () => state.lastId,
    comments: () => state.comments,
    ended,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    async next(name) {
      for (;;) {
        const event = events.shift();
        if (event && (name === undefined || event.event === name)) {
          return event;
        }
        if (!event && state.isOver) {
          throw new Error(`the stream ended without ${name ?? 'another event'}; it brought ${names.join(', ')}`);
        }
        if (!event) {
          await new Promise<void>((resolve) => {
            const waiting = () => {
              wake.delete(waiting);
              resolve();
            };
            wake.add(waiting);
          });
        }
      }
    },
    [Symbol.dispose]: () => void response.destroy(),
  };
}

/** The same text that does not keep alive the long one it was cut from. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

/** The event of one block; undefined for a comment. Throws when a line is neither. */
function parseBlock(block: string): ReceivedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^(event|id|data|retry): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      fields.set(name, value);
    } else if (!line.startsWith(':')) {
      throw new Error(`not a line of an event stream: ${line.slice(0, 80)}`);
    }
  }
  const event = fields.get('event');
  return event === undefined
    ? undefined
    : { event, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') as unknown };
}
