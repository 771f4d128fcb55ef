// Asks whoever sits at the terminal. What is asked goes to stderr, so that stdout holds results alone.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether somebody can answer. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** What is typed, without its line end. Rejects when `signal` aborts, and when Ctrl-C is typed. */
export function askLine(question: string, signal: AbortSignal): Promise<string> {
  return ask(question, process.stderr, signal);
}

/** The same, and what is typed is not shown. */
export async function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    const answer = ask('', nowhere, signal);
    // The terminal shows nothing any more from here on.
    process.stderr.write(question);
    return await answer;
  } finally {
    process.stderr.write('\n');
  }
}

async function ask(question: string, output: Writable, signal: AbortSignal): Promise<string> {
  using line = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is in raw mode: Ctrl-C is a key here, and no signal.
  const interrupted = Promise.withResolvers<never>();
  line.once('SIGINT', () => interrupted.reject(new Error('stopped by Ctrl-C at a question')));
  return await Promise.race([line.question(question, { signal }), interrupted.promise]);
}
