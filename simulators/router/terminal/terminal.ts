import type { ArmedFault } from '../faults.ts';
import { takeSecret } from '../secret-places.ts';
import type { Outcome } from '../vendor.ts';
import type { Violations } from '../violations.ts';
import { decode } from './encoding.ts';
import { createKeyboard, type Keyboard } from './keyboard.ts';
import { createOutput, type Output, SessionEnded, throwEnded, untilClosed } from './output.ts';
import { type LoginContext, Screen } from './screen.ts';

/** Answers of the tables exactly as captured, instead of what the vendor would print. */
export type Replay = Partial<Record<'nat' | 'arp' | 'ndp', Uint8Array>>;

export interface TerminalOptions extends LoginContext {
  replay: () => Replay;
  violations: Violations;
  /** Time without input after which the session is closed. */
  idleMs: number;
  /** Input in the first so many ms after the banner is lost. */
  deafMs: number;
  onCommand: (line: string) => void;
  /** Told when a NAT table starts (true) and ends (false). */
  onTable: (running: boolean) => void;
}

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

/** Starts the dialogue of one login, which goes on until the session is over. */
export function startTerminal(options: TerminalOptions): Terminal {
  const terminal = new Terminal(options);
  terminal.start();
  return terminal;
}

export class Terminal {
  readonly #options: TerminalOptions;
  readonly #output: Output;
  readonly #keyboard: Keyboard;
  readonly #screen: Screen;
  readonly #echoes: boolean;
  #readyAt = 0;
  #lastInputAt: number;

  constructor(options: TerminalOptions) {
    const { vendor, wire, clock, faults, random } = options;
    this.#options = options;
    this.#output = createOutput(wire, clock, random);
    this.#keyboard = createKeyboard(vendor.lineEnds, wire, this.#output);
    this.#screen = new Screen({ ...options, output: this.#output, keyboard: this.#keyboard });
    this.#echoes = faults.take('echo-off') === null;
    this.#lastInputAt = clock.now();
  }

  start(): void {
    this.#dialogue().catch(rethrowUnlessEnded);
    this.#watchIdle().catch(rethrowUnlessEnded);
  }

  feed(bytes: Uint8Array): void {
    this.#lastInputAt = this.#options.clock.now();
    if (this.#options.clock.now() >= this.#readyAt) {
      this.#keyboard.feed(bytes);
    }
  }

  /** Shows a log line of the router, at the next row or at the prompt. */
  log(text: string): void {
    this.#screen.log(text).catch(rethrowUnlessEnded);
  }

  async #dialogue(): Promise<void> {
    const { vendor, world, login, wire, clock, faults } = this.#options;
    let end = await this.#greet();
    while (end === null) {
      const shown = takeSecret('prompt', faults, world.credentials);
      const prompt = `${shown === null ? '' : shown.replace(' ', '-')}${vendor.prompt(world, login)}`;
      await this.#screen.say(prompt, vendor.encoding(world, 'prompt'));
      const line = await this.#readLine(this.#echoes);
      if (line !== null && line.trim() !== '') {
        end = await this.#runLine(line);
        this.#lastInputAt = clock.now();
      }
    }
    wire.cut('exit');
  }

  /** Ends the session when nobody has typed for `idleMs`. */
  async #watchIdle(): Promise<void> {
    const { wire, clock, idleMs, note } = this.#options;
    while (!wire.closed.aborted) {
      const left = this.#lastInputAt + idleMs - clock.now();
      if (left <= 0 && !this.#screen.isPrinting) {
        note('idle-timeout');
        wire.cut('exit');
        return;
      }
      await clock.sleep(Math.max(left, 1_000), wire.closed).catch(throwEnded);
    }
  }

  async #greet(): Promise<'close' | null> {
    const { vendor, world, clock, faults, deafMs } = this.#options;
    if (faults.take('login-restricted')) {
      await this.#sayLines(['Error: Login access is restricted.']);
      return 'close';
    }
    await (vendor.greeting ? this.#screen.play(vendor.greeting, '') : this.#sayLines(vendor.banner(world)));
    await this.#sayLines(faults.armed('prompt-like-content') ? trapLines : []);
    const shown = takeSecret('banner', faults, world.credentials);
    await this.#sayLines(shown === null ? [] : ['', `your secrets: ${shown}`, '']);
    while (faults.armed('endless-banner')) {
      await this.#sayLines(Array.from({ length: 100 }, () => trapLines).flat());
    }
    this.#readyAt = clock.now() + deafMs;
    return null;
  }

  #sayLines(lines: readonly string[]): Promise<void> {
    return this.#screen.say(lines.map((line) => `${line}\r\n`).join(''));
  }

  /** Resolves to one typed line, or to null when it was interrupted. */
  async #readLine(echo: boolean): Promise<string | null> {
    const { vendor, world } = this.#options;
    const bytes = await this.#keyboard.line(echo);
    await this.#output.send(Buffer.from('\r\n'));
    return bytes === null ? null : decode(Uint8Array.from(bytes), vendor.encoding(world));
  }

  async #runLine(line: string): Promise<'close' | null> {
    const { clock, faults, latency, wire, onCommand, onTable, note } = this.#options;
    onCommand(line);
    const startedAt = clock.now();
    const startedWith = this.#output.sent();
    const run: Run = { line, privilegeError: null };
    let isTable = false;
    try {
      if (faults.take('half-open', line)) {
        wire.cut('freeze');
        await untilClosed(wire);
      }
      await this.#screen.pause(latency.promptMs);
      let next: Next = this.#interpret(line);
      isTable = next.kind === 'lines' && next.table === 'nat';
      if (isTable) {
        onTable(true);
      }
      while (next !== null && next !== 'close') {
        next = await this.#step(next, run);
      }
      return next;
    } finally {
      if (isTable) {
        onTable(false);
      }
      note('command', { command: line, line, bytes: this.#output.sent() - startedWith, ms: clock.now() - startedAt });
    }
  }

  /** The vendor's answer to the line; with the fault `unknown-command`, to one whose last word nobody knows. */
  #interpret(line: string): Outcome {
    const { vendor, world, login, faults } = this.#options;
    const words = line.trimEnd().split(' ');
    const mangled = [...words.slice(0, -1), `x${words.at(-1) ?? ''}`].join(' ');
    return vendor.run(faults.take('unknown-command', line) ? mangled : line, world, login);
  }

  /** One step of a command's dialogue; null at its end. */
  async #step(outcome: Outcome, run: Run): Promise<Next> {
    const { latency, replay, violations } = this.#options;
    const screen = this.#screen;
    switch (outcome.kind) {
      case 'lines': {
        const captured = outcome.table && replay()[outcome.table];
        await screen.pause(outcome.table ? latency.tableMs : 0);
        await (captured ? screen.replay(captured, run.line) : screen.print(outcome.lines, run.line));
        return null;
      }
      case 'raw':
        await screen.replay(outcome.bytes, run.line);
        return null;
      case 'played':
        await screen.play(outcome, run.line);
        return outcome.ending === 'prompt' ? null : screen.endAs(outcome.ending);
      case 'secret': {
        await screen.say(outcome.prompt);
        const typed = await this.#readLine(false);
        return typed === null ? null : this.#answerSecret(outcome, typed, run);
      }
      case 'key': {
        await screen.say(outcome.prompt);
        const key = await this.#keyboard.character();
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
  }

  async #answerSecret(asked: Extract<Outcome, { kind: 'secret' }>, typed: string, run: Run): Promise<Next> {
    const { world, login, latency, faults, violations, note } = this.#options;
    if (takeSecret('answer', faults, world.credentials, run.line) !== null) {
      note('secret-shown', { typed, right: typed === world.credentials.enable });
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
    await this.#screen.pause(latency.pauses ? 1_500 : 0);
    return { kind: 'lines', lines: [String(armed.value), ''] };
  }
}

/** A closed channel is how every session ends; anything else is a defect of the simulator. */
function rethrowUnlessEnded(error: unknown): void {
  if (!(error instanceof SessionEnded)) {
    throw error;
  }
}
