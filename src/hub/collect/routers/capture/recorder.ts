// Records what goes over a router's terminal: bytes with their times, and where something was typed.

import type { Step } from '#capture/bundle.ts';
import { monotonicMs } from '#kernel/time/clock.ts';
import type { Channel } from '../shell/terminal.ts';
import type { ShellObserver } from '../ssh.ts';

/** What was received since the last cut, and what was typed between. */
export interface Segment {
  bytes: Buffer;
  steps: Step[];
  isClosed: boolean;
}

export interface Recorder extends ShellObserver {
  readonly ssh: { identification: string; methods: string[]; algorithms: Record<string, string[]> };
  /** The next thing that is typed is this secret, of which only the place is recorded. */
  expectSecret(secret: string): void;
  /** Ends the segment and starts the next one. */
  cut(): Segment;
}

export function createRecorder(): Recorder {
  const ssh: Recorder['ssh'] = { identification: '', methods: [], algorithms: {} };
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
    // A router that sends each byte alone would need a step for each of them.
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
    cut() {
      const segment = { bytes: Buffer.concat(pieces), steps, isClosed };
      pieces = [];
      steps = [];
      lastAt = monotonicMs();
      return segment;
    },
  };
}
