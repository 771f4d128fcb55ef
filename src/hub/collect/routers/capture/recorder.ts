// Records the bytes that a router sends, the times between them, and where the client types: never the typed text.
import type { Step } from '#capture/bundle.ts';
import { monotonicMs } from '#kernel/time/clock.ts';
import type { Channel } from '../shell/terminal.ts';
import type { ShellObserver } from '../ssh.ts';

/** What was recorded between two calls of `takeSegment`. */
export interface Segment {
  /** What the router sent. */
  bytes: Buffer;
  /** How the bytes came, and where something was typed. */
  steps: Step[];
  /** The connection has ended. */
  isClosed: boolean;
}

export interface DialogueRecorder extends ShellObserver {
  /** What the router offered; `algorithms` by what they are for, as SSH names it. */
  readonly ssh: { identification: string; methods: string[]; algorithms: Record<string, string[]> };
  /** From now on, a write that begins with `secret` is recorded as a typed secret, any other one as a key. */
  expectSecret(secret: string): void;
  /** Returns what was recorded since the last call, and begins a new segment. */
  takeSegment(): Segment;
}

export function createDialogueRecorder(): DialogueRecorder {
  const ssh: DialogueRecorder['ssh'] = { identification: '', methods: [], algorithms: {} };
  let pieces: Uint8Array[] = [];
  let steps: Step[] = [];
  let lastAt = monotonicMs();
  let isClosed = false;
  let secret: string | null = null;

  const receive = (bytes: Uint8Array): void => {
    const at = monotonicMs();
    const afterMs = Math.round(at - lastAt);
    const last = steps.at(-1);
    pieces.push(Uint8Array.from(bytes));
    // Bytes of the same millisecond are one step: a router may send each byte alone.
    if (last && 'bytes' in last && afterMs === 0) {
      last.bytes += bytes.length;
    } else {
      steps.push({ afterMs, bytes: bytes.length });
      lastAt = at;
    }
  };

  return {
    ssh,
    loggedIn({ identification, methods, algorithms }) {
      ssh.identification = identification;
      ssh.methods = [...(methods ?? [])];
      ssh.algorithms = Object.fromEntries(algorithms.map(({ what, theirs }) => [what, theirs.split(',')]));
    },
    watch(channel: Channel): Channel {
      return {
        close: channel.close,
        write(text) {
          steps.push({ typed: secret !== null && text.startsWith(secret) ? 'secret' : 'key' });
          channel.write(text);
        },
        listen({ data, closed }) {
          channel.listen({
            data(bytes) {
              receive(bytes);
              data(bytes);
            },
            closed() {
              isClosed = true;
              closed();
            },
          });
        },
      };
    },
    expectSecret(next) {
      secret = next;
    },
    takeSegment() {
      const segment = { bytes: Buffer.concat(pieces), steps, isClosed };
      pieces = [];
      steps = [];
      lastAt = monotonicMs();
      return segment;
    },
  };
}
