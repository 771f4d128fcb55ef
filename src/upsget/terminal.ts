// Prints data to stdout, and warnings and errors to stderr, one line each.
import { Failure } from './failure.ts';
import { visibleText } from './visible-text.ts';

export interface Terminal {
  /** Resolves when the text is written; rejects with a Failure when stdout cannot be written. */
  print(text: string): Promise<void>;
  warn(text: string): void;
  error(text: string): void;
}

export function createTerminal(): Terminal {
  // Without listeners, a closed pipe would end the program before its cleanup. `print` reports the error to its caller.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    print: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => {
          if (error) {
            reject(new Failure(`the values could not be printed: ${error.message}`, { cause: error }));
          } else {
            resolve();
          }
        });
      }),
    warn: (text) => void process.stderr.write(`Warning: ${toOneLine(text)}\n`),
    error: (text) => void process.stderr.write(`Error: ${toOneLine(text)}\n`),
  };
}

/** Text from the UPS or a helper program must not inject lines or escape sequences. */
function toOneLine(text: string): string {
  return visibleText(text.replace(/[\t\r\n]+/g, ' ').trim());
}
