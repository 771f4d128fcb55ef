// Logs in to a router as a poll does, reads it once, and keeps every byte of the answers.
import type { Exchange, Greeting } from '#capture/bundle.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type CollectOptions, type RouterKind, type Shell, ShellError, type Snapshot } from '../driver.ts';
import { getDriver } from '../drivers.ts';
import { openShell, type ShellOptions } from '../ssh.ts';
import { adoptCharacterSet, listDescriptors, readEnvironment } from '../vendor-a/commands.ts';
import { listMissing, requirePlanned } from './plan.ts';
import { createDialogueRecorder, type DialogueRecorder } from './recorder.ts';
import { toAnswer, toGreeting } from './segments.ts';

export interface RecordOptions
  extends Pick<ShellOptions, 'host' | 'port' | 'user' | 'password' | 'settleMs' | 'idleMs'> {
  kind: RouterKind;
  enablePass: string | null;
  legacyAlgorithms: boolean;
  pinnedHostFp: string | null;
  signal: AbortSignal;
  /** Hub time, epoch milliseconds; the system's when absent. */
  now?: () => number;
  /** Called before each command is typed. */
  onCommand?: (command: string) => void;
}

export type RecordedExchange = Omit<Exchange, 'file' | 'bytes'> & { answer: Buffer };

export interface Recording {
  kind: RouterKind;
  hostFp: string;
  ssh: DialogueRecorder['ssh'];
  greeting: Omit<Greeting, 'file' | 'bytes'> & { answer: Buffer };
  /** The newest one for each command and prompt, in the order of the dialogue. */
  exchanges: RecordedExchange[];
  natDescriptor: string | null;
  model: string;
  /** What the driver read; null when it could not read to the end. */
  snapshot: Snapshot | null;
  failure: ShellError | null;
  missing: string[];
}

/** Rejects with a ShellError when there was no login; a capture that ends later is a recording with its failure. */
export async function recordRouter(options: RecordOptions): Promise<Recording> {
  const { kind, enablePass, signal } = options;
  const recorder = createDialogueRecorder();
  await using shell = await openShell({
    ...options,
    secrets: [enablePass ?? ''],
    clock: systemClock,
    observer: recorder,
  });
  const { bytes, steps, prompt } = toGreeting(recorder.takeSegment());
  const exchanges: RecordedExchange[] = [];
  const recording = createRecordingShell(shell, recorder, exchanges, { ...options, firstPrompt: prompt ?? '' });
  const collecting: CollectOptions = {
    settings: { kind, nat: '', enablePass },
    memory: { refused: new Set(), encoding: null, model: null },
    neighbours: true,
    leases: true,
    now: options.now ?? systemClock.now,
    signal,
  };
  const { snapshot, failure } = await readRouter(recording, collecting);
  const answered = exchanges.filter(({ ending }) => ending === 'prompt').map(({ command }) => command);
  return {
    kind,
    hostFp: shell.hostFp,
    ssh: recorder.ssh,
    greeting: { prompt: prompt ?? '', steps, answer: bytes },
    exchanges,
    natDescriptor: collecting.settings.nat || null,
    model: snapshot?.model ?? collecting.memory.model ?? '',
    snapshot,
    failure,
    missing: failure ? listMissing(kind, answered) : [],
  };
}

async function readRouter(shell: Shell, options: CollectOptions) {
  try {
    if (options.settings.kind === 'vendor_a') {
      options.settings.nat = await chooseDescriptor(shell, options);
    }
    return { snapshot: await getDriver(options.settings.kind).collect(shell, options), failure: null };
  } catch (error) {
    if (error instanceof ShellError && !options.signal.aborted) {
      return { snapshot: null, failure: error };
    }
    throw error;
  }
}

/** Chooses the descriptor with the most sessions: the command has no option for it. */
async function chooseDescriptor(shell: Shell, options: CollectOptions): Promise<string> {
  options.memory.model = (await readEnvironment(shell, options)).model;
  await adoptCharacterSet(shell, options);
  const [most] = (await listDescriptors(shell, options)).sort((a, b) => (b.sessions ?? 0) - (a.sessions ?? 0));
  if (!most) {
    throw new ShellError(
      'descriptor_missing',
      'The router lists no NAT descriptor in use, so there is no table to read.',
    );
  }
  return most.descriptor;
}

interface ShellRecording extends RecordOptions {
  firstPrompt: string;
}

/** Returns a shell that adds each of its answers to `exchanges`. */
function createRecordingShell(
  shell: Shell,
  recorder: DialogueRecorder,
  exchanges: RecordedExchange[],
  { kind, enablePass, onCommand, firstPrompt }: ShellRecording,
): Shell {
  let prompt = firstPrompt;
  const recordExchange = async <T>(command: string, work: () => Promise<T>): Promise<T> => {
    requirePlanned(kind, command);
    onCommand?.(command);
    recorder.takeSegment();
    let isWhole = false;
    try {
      const result = await work();
      isWhole = true;
      return result;
    } catch (error) {
      // The router refused the secret and is back at its prompt.
      isWhole = error instanceof ShellError && error.failure === 'escalation_failed';
      throw error;
    } finally {
      const segment = recorder.takeSegment();
      const prompts = [prompt, prompt.replace(/>( ?)$/, '#$1')];
      const { bytes, steps, prompt: after } = toAnswer(segment, command, { isWhole, prompts });
      const ending = isWhole ? 'prompt' : segment.isClosed ? 'closed' : 'silent';
      const same = exchanges.findIndex((one) => one.command === command && one.promptBefore === prompt);
      if (same >= 0) {
        exchanges.splice(same, 1);
      }
      exchanges.push({ command, promptBefore: prompt, promptAfter: after ?? '', ending, steps, answer: bytes });
      prompt = after ?? prompt;
    }
  };
  return {
    hostFp: shell.hostFp,
    get hostName() {
      return shell.hostName;
    },
    banner: shell.banner,
    secrecy: shell.secrecy,
    privileged: shell.privileged,
    decodeAs: shell.decodeAs,
    run: (command, options) => recordExchange(command, () => shell.run(command, options)),
    escalate(command, secret, signal) {
      recorder.expectSecret(enablePass ?? secret);
      return recordExchange(command, () => shell.escalate(command, secret, signal));
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
