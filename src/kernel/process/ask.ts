// Asks whoever sits at the terminal. What is asked goes to stderr, so that stdout holds results alone.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether somebody can answer. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** What is typed, without its line end. Rejects when `signal` aborts. */
export function askLine(question: string, signal: AbortSignal): Promise<string> {
  return ask(question, process.stderr, signal);
}

/** The same, and what is typed is not shown. */
export function askSecret(question: string, signal: AbortSignal): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return ask('', nowhere, signal).finally(() => process.stderr.write('\n'));
}

async function ask(question: string, output: Writable, signal: AbortSignal): Promise<string> {
  using line = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is in raw mode: Ctrl-C is a key here, and no signal.
  const interrupted = Promise.withResolvers<never>();
  line.once('SIGINT', () => interrupted.reject(new Error('stopped at a question; nothing was typed on the router')));
  return await Promise.race([line.question(question, { signal }), interrupted.promise]);
}
