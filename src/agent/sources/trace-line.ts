// Reads a line of trace_pipe: a change of state of a TCP socket, or how many events the kernel had to drop.
import { canonicalIp } from '#kernel/net/address.ts';
import { parsePort, type Tuple } from './connection.ts';

export interface StateChange extends Tuple {
  /** Name of the thread; null when the kernel no longer knew it. */
  comm: string | null;
  /** The thread that ran. Only with `isInProcess` has it to do with the socket. */
  threadId: number;
  /** Whether the thread itself caused the change, and not an interrupt that came while it ran. */
  isInProcess: boolean;
  /** Milliseconds of the monotonic clock. */
  monotonicMs: number;
  oldState: string;
  newState: string;
}

export interface LostEvents {
  lost: number;
}

/** A thread name may look like the fields behind it: the greedy first group leaves the last match for them. */
const head =
  /^(.*)-(\d{1,10})\s+(?:\(\s*[\d-]+\)\s+)?\[\d+\]\s+(\S+)\s+(\d{1,12})\.(\d{6}): inet_sock_set_state: (.*)$/;
const loss = /^CPU:\d+ \[LOST (\d{1,15}) EVENTS\]$/;

/** Null for a line that is neither a state change nor a loss. */
export function parseTraceLine(line: string): StateChange | LostEvents | null {
  const [, comm = '', thread, flags = '', seconds, micros, text = ''] = head.exec(line) ?? [];
  if (thread === undefined) {
    const lost = loss.exec(line)?.[1];
    return lost === undefined ? null : { lost: Number(lost) };
  }
  const fields = new Map(text.split(' ').map((field) => split(field)));
  const localAddress = canonicalIp(fields.get('saddrv6') ?? '');
  const remoteAddress = canonicalIp(fields.get('daddrv6') ?? '');
  const localPort = parsePort(fields.get('sport'));
  const remotePort = parsePort(fields.get('dport'));
  const oldState = fields.get('oldstate');
  const newState = fields.get('newstate');
  if (!localAddress || !remoteAddress || localPort === null || remotePort === null || !oldState || !newState) {
    return null;
  }
  return {
    networkProtocol: 'tcp',
    localAddress,
    localPort,
    remoteAddress,
    remotePort,
    comm: comm.trimStart() === '<...>' || comm.trim() === '' ? null : comm.trimStart(),
    threadId: Number(thread),
    // The third flag names the interrupt.
    isInProcess: flags[2] === '.',
    monotonicMs: Number(seconds) * 1000 + Number(micros) / 1000,
    oldState,
    newState,
  };
}

function split(field: string): [string, string] {
  const at = field.indexOf('=');
  return [field.slice(0, at), field.slice(at + 1)];
}
