// Byte counts of TCP connections from the program `ss` of iproute2: exact ones at the end, and of those that run.
import type { Clock } from '#kernel/time/clock.ts';
import { type LineSource, spawnLines, startLines } from './child-lines.ts';
import { type SourceState, tupleKey } from './connection.ts';
import type { Ledger } from './ledger.ts';
import { parseSsLine } from './ss-line.ts';

export type TcpEnds = Awaited<ReturnType<typeof startTcpEnds>>;

export interface EndOptions {
  clock: Clock;
  ledger: Ledger;
  includeLoopback: boolean;
  /** Called with the port of a listening socket that has ended. Connections that it accepted may end later. */
  noteListener: (port: number) => void;
}

const retryMs = 30_000;
/** Excludes loopback: on a busy machine most sockets are between its own programs. */
const notLoopback = ['not', 'dst', '127.0.0.0/8', 'and', 'not', 'dst', '[::1]'];
const blind = [
  'Bytes of TCP connections are not known.',
  'Connections that no poll and no event shows are not even counted.',
];

export async function startTcpEnds({ clock, ledger, includeLoopback, noteListener }: EndOptions) {
  const program = (options: string) => ['ss', options, ...(includeLoopback ? [] : notLoopback)];
  const ends = program('-tEniOH');
  let damaged = 0;
  const read = (line: string): ReturnType<typeof parseSsLine> => {
    const socket = parseSsLine(line);
    damaged += socket === null && line !== '' ? 1 : 0;
    return socket;
  };
  const onLine = (line: string) => {
    const socket = read(line);
    if (socket && 'bytesIn' in socket) {
      ledger.finalCounts(socket, clock.now());
    } else if (socket) {
      noteListener(socket.localPort);
    }
  };
  // Into a pipe ss writes blocks of 4 KiB, unless it is made to write lines.
  let lines: LineSource = await startLines({ clock, command: ['stdbuf', '-oL', ...ends], onLine, retryMs });
  const isInBlocks = lines.problem()?.isMissing === true;
  if (isInBlocks) {
    await lines[Symbol.asyncDispose]();
    lines = await startLines({ clock, command: ends, onLine, retryMs });
  }
  return {
    state(): SourceState {
      const ending = lines.problem();
      const reason = ending?.isMissing ? 'ss is not installed: install iproute2' : (ending?.problem ?? null);
      const late =
        'Ends arrive in blocks, some of them after their connection was reported: install coreutils (stdbuf).';
      const limits = ['The last byte count of what was received may include the FIN of the other side: one byte.'];
      const cannotSee = reason === null ? [...limits, ...(isInBlocks ? [late] : [])] : blind;
      return { name: 'tcp-ends', active: reason === null, reason, cannotSee };
    },
    damaged: () => damaged,
    /** Counts the bytes of the connections that run now. */
    async count(signal: AbortSignal): Promise<void> {
      if (lines.problem()?.isMissing || !ledger.openConnections().some(isTcp)) {
        return;
      }
      const child = spawnLines(program('-tinOH'), (line) => {
        const socket = read(line);
        if (socket && 'bytesIn' in socket) {
          ledger.countKey(tupleKey(socket), socket);
        }
      });
      signal.addEventListener('abort', child.stop, { once: true });
      await child.ended;
      signal.removeEventListener('abort', child.stop);
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

function isTcp({ connection }: { connection: { networkProtocol: string } }): boolean {
  return connection.networkProtocol === 'tcp';
}
