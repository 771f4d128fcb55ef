// One login on a captured router: which of the recorded answers belongs to a command that is typed now.
import type { Bundle, Exchange } from './bundle.ts';

export class Dialogue {
  readonly #bundle: Bundle;
  /** How often each answer was given. */
  readonly #given = new Map<Exchange, number>();
  /** One character is one byte. */
  prompt: string;

  constructor(bundle: Bundle) {
    this.#bundle = bundle;
    this.prompt = bundle.index.greeting.prompt;
  }

  /**
   * The answer to the command at this prompt, or at any prompt where none was recorded here. Answers to the same command
   * come in their order, and again from the first one. Null when the command was not captured.
   */
  take(command: string): Exchange | null {
    const same = this.#bundle.index.exchanges.filter((one) => one.command === command.trim());
    const here = same.filter(({ promptBefore }) => promptBefore === this.prompt);
    const [next] = (here.length > 0 ? here : same).sort((a, b) => this.#count(a) - this.#count(b));
    if (next === undefined) {
      return null;
    }
    this.#given.set(next, this.#count(next) + 1);
    return next;
  }

  /** Moves on to the prompt behind the answer. */
  finish({ promptAfter }: Exchange): void {
    this.prompt = promptAfter;
  }

  bytesOf({ file }: { file: string }): Uint8Array {
    return this.#bundle.files.get(file) ?? new Uint8Array();
  }

  #count(exchange: Exchange): number {
    return this.#given.get(exchange) ?? 0;
  }
}

/** How a router of the kind refuses a command that was not captured. */
export function refuseCommand(kind: Bundle['index']['kind']): string {
  return kind === 'vendor_a'
    ? 'Error: Invalid command name\r\n'
    : "           ^\r\n% Invalid input detected at '^' marker.\r\n\r\n";
}
