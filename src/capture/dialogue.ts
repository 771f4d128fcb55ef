// One login on a captured router: chooses the recorded answer to each command.
import type { Bundle, Exchange } from './bundle.ts';

export class Dialogue {
  readonly #bundle: Bundle;
  /** How often each answer was taken. */
  readonly #taken = new Map<Exchange, number>();
  /** The prompt that the router shows now; one character is one byte. */
  prompt: string;

  constructor(bundle: Bundle) {
    this.#bundle = bundle;
    this.prompt = bundle.index.greeting.prompt;
  }

  /**
   * Takes the answer that was recorded at this prompt, or else at any other. Several answers to one command are taken in turn.
   * Returns null when the command was not captured.
   */
  takeAnswer(command: string): Exchange | null {
    const same = this.#bundle.index.exchanges.filter((one) => one.command === command.trim());
    const here = same.filter(({ promptBefore }) => promptBefore === this.prompt);
    const [next] = (here.length > 0 ? here : same).sort((a, b) => this.#count(a) - this.#count(b));
    if (next === undefined) {
      return null;
    }
    this.#taken.set(next, this.#count(next) + 1);
    return next;
  }

  /** Shows the prompt behind the answer. */
  finishAnswer({ promptAfter }: Exchange): void {
    this.prompt = promptAfter;
  }

  #count(exchange: Exchange): number {
    return this.#taken.get(exchange) ?? 0;
  }
}

/** Returns what a router of the kind prints for a command that was not captured. */
export function formatRefusal(kind: Bundle['index']['kind']): string {
  return kind === 'vendor_a'
    ? 'Error: Invalid command name\r\n'
    : "           ^\r\n% Invalid input detected at '^' marker.\r\n\r\n";
}
