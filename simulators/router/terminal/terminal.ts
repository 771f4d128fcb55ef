// One login's terminal: reads lines with echo, runs them in the vendor's language, and leads the dialogue to its end.
import type { Clock } from '#kernel/time/clock.ts';
import type { Random } from '../../support/random.ts';
import type { ArmedFault, Faults } from '../faults.ts';
import type { Latency } from '../latency.ts';
import type { WorldView } from '../model.ts';
import { secretAt } from '../secret-places.ts';
import type { Login, Outcome, Vendor } from '../vendor.ts';
import type { Violations } from '../violations.ts';
import { decode } from './encoding.ts';
import { createKeyboard } from './keyboard.ts';
import { createOutput, SessionEnded, throwEnded, untilClosed, type Wire } from './output.ts';
import { createScreen } from './screen.ts';

/** Answers of the tables exactly as captured, instead of what the vendor would print. */
export type Replay = Partial<Record<'nat' | 'arp' | 'ndp', Uint8Array>>;

export interface TerminalOptions {
  vendor: Vendor;
  world: WorldView;
  login: Login;
  wire: Wire;
  clock: Clock;
  latency: Latency;
  faults: Faults;
  random: Random;
  replay: () => Replay;
  violations: Violations;
  /** Time without input after which the session is closed. */
  idleMs: number;
  /** Input in the first so many ms after the banner is lost. */
  deafMs: number;
  /** Told before a line is run. */
  onCommand: (line: string) => void;
  /** Told when a NAT table starts (true) and ends (false). */
  onTable: (running: boolean) => void;
  note: (kind: string, details?: Record<string, unknown>) => void;
}

export interface Terminal {
  /** Bytes somebody typed. */
  feed(bytes: Uint8Array): void;
  /** A log line of the router, shown at the next row or at the prompt. */
  log(text: string): void;
  /** Resolves when the session is over. */
  readonly done: Promise<void>;
}

/** What one command line needs while it runs. */
interface Run {
  line: string;
  /** Taken once for the whole dialogue of the command. */
  privilegeError: ArmedFault | null;
}

type Next = Outcome | 'close' | null;

const trapLines = [
  '*****************************************',
  '* Authorised users only >               *',
  '* Enter Password: at your own risk #    *',
  '* --More-- information at helpdesk      *',
  '* ---more---                            *',
  '*****************************************',
] as const;

export function startTerminal(options: TerminalOptions): Terminal {
  const { vendor, world, login, wire, clock, latency, faults, violations } = options;
  const output = createOutput(wire, clock, options.random);
  const keyboard = createKeyboard(vendor.lineEnds, wire, output);
  const screen = createScreen({ ...options, output, keyboard });
  const echoes = faults.take('echo-off') === null;
  let readyAt = 0;
  let lastInputAt = clock.now();

  const sayLines = (lines: readonly string[]) => screen.say(lines.map((line) => `${line}\r\n`).join(''));

  const readLine = async (echo: boolean) => {
    const bytes = await keyboard.line(echo);
    await output.send(Buffer.from('\r\n'));
    return bytes === null ? null : decode(Uint8Array.from(bytes), vendor.encoding(world));
  };

  const answerSecret = async (asked: Extract<Outcome, { kind: 'secret' }>, typed: string, run: Run): Promise<Next> => {
    if (secretAt('answer', faults, world.credentials, run.line) !== null) {
      options.note('secret-shown', { typed, right: typed === world.credentials.enable });
      return { kind: 'lines', lines: [typed, `% ${typed}: Access denied`, ''] };
    }
    run.privilegeError ??= faults.take('privilege-error', run.line);
    const armed = run.privilegeError;
    const wasPrivileged = login.privileged;
    const next = asked.answer(armed ? `${typed}\0` : typed);
    if (!wasPrivileged && !login.privileged && typed !== '') {
      violations.secretFailed(run.line.trim(), login.user, typed);
    }
    if (armed?.value === undefined) {
      return next;
    }
    await screen.pause(latency.pauses ? 1_500 : 0);
    return { kind: 'lines', lines: [String(armed.value), ''] };
  };

  /** One step of a command's dialogue; null at its end. */
  const step = async (outcome: Outcome, run: Run): Promise<Next> => {
    switch (outcome.kind) {
      case 'lines': {
        const captured = outcome.table && options.replay()[outcome.table];
        await screen.pause(outcome.table ? latency.tableMs : 0);
        await (captured ? screen.replay(captured, run.line) : screen.print(outcome.lines, run.line));
        return null;
      }
      case 'raw':
        await screen.replay(outcome.bytes, run.line);
        return null;
      case 'secret': {
        await screen.say(outcome.prompt);
        const typed = await readLine(false);
        return typed === null ? null : answerSecret(outcome, typed, run);
      }
      case 'key': {
        await screen.say(outcome.prompt);
        const key = await keyboard.character();
        await screen.say(`${key}\r\n`);
        if (/^y$/i.test(key)) {
          violations.add('configuration-saved', `"${key}" was answered to: ${outcome.prompt.trim()}`);
        }
        return outcome.answer(key);
      }
      case 'wait':
        await screen.print(outcome.lines, run.line);
        await screen.pause(latency.pauses ? outcome.ms : 0);
        return outcome.next;
      case 'close':
        await screen.print(outcome.lines ?? [], run.line);
        return 'close';
    }
  };

  /** The vendor's answer to the line; with the fault `unknown-command`, to one whose last word nobody knows. */
  const start = (line: string): Outcome => {
    const words = line.trimEnd().split(' ');
    const mangled = [...words.slice(0, -1), `x${words.at(-1) ?? ''}`].join(' ');
    return vendor.run(faults.take('unknown-command', line) ? mangled : line, world, login);
  };

  const runLine = async (line: string): Promise<'close' | null> => {
    options.onCommand(line);
    const startedAt = clock.now();
    const startedWith = output.sent();
    const run: Run = { line, privilegeError: null };
    let isTable = false;
    try {
      if (faults.take('half-open', line)) {
        wire.cut('freeze');
        await untilClosed(wire);
      }
      await screen.pause(latency.promptMs);
      let next: Next = start(line);
      isTable = next.kind === 'lines' && next.table === 'nat';
      if (isTable) {
        options.onTable(true);
      }
      while (next !== null && next !== 'close') {
        next = await step(next, run);
      }
      return next;
    } finally {
      if (isTable) {
        options.onTable(false);
      }
      options.note('command', { line, bytes: output.sent() - startedWith, ms: clock.now() - startedAt });
    }
  };

  const greet = async (): Promise<'close' | null> => {
    if (faults.take('login-restricted')) {
      await sayLines(['Error: Login access is restricted.']);
      return 'close';
    }
    await sayLines(vendor.banner(world));
    await sayLines(faults.armed('prompt-like-content') ? trapLines : []);
    const shown = secretAt('banner', faults, world.credentials);
    await sayLines(shown === null ? [] : ['', `your secrets: ${shown}`, '']);
    while (faults.armed('endless-banner')) {
      await sayLines(Array.from({ length: 100 }, () => trapLines).flat());
    }
    readyAt = clock.now() + options.deafMs;
    return null;
  };

  const dialogue = async () => {
    let end = await greet();
    while (end === null) {
      const shown = secretAt('prompt', faults, world.credentials);
      const prompt = `${shown === null ? '' : shown.replace(' ', '-')}${vendor.prompt(world, login)}`;
      await screen.say(prompt, vendor.encoding(world, 'prompt'));
      const line = await readLine(echoes);
      if (line !== null && line.trim() !== '') {
        end = await runLine(line);
        lastInputAt = clock.now();
      }
    }
    wire.cut('exit');
  };

  const watchIdle = async () => {
    while (!wire.closed.aborted) {
      const left = lastInputAt + options.idleMs - clock.now();
      if (left <= 0 && !screen.isPrinting()) {
        options.note('idle-timeout');
        wire.cut('exit');
        return;
      }
      await clock.sleep(Math.max(left, 1_000), wire.closed).catch(throwEnded);
    }
  };

  return {
    feed(bytes) {
      lastInputAt = clock.now();
      if (clock.now() >= readyAt) {
        keyboard.feed(bytes);
      }
    },
    log(text) {
      screen.log(text).catch(rethrowUnlessEnded);
    },
    done: Promise.all([dialogue().catch(rethrowUnlessEnded), watchIdle().catch(rethrowUnlessEnded)]).then(
      () => undefined,
    ),
  };
}

/** A closed channel is how every session ends; anything else is a defect of the simulator. */
function rethrowUnlessEnded(error: unknown): void {
  if (!(error instanceof SessionEnded)) {
    throw error;
  }
}
