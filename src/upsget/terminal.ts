// stdout for data alone, stderr for one sentence a line.
import { Failure } from './failure.ts';
import { visibleText } from './visible-text.ts';

export interface Terminal {
  /** Resolves when the text is handed over; throws a Failure when nobody reads it. */
  print(text: string): Promise<void>;
  warn(text: string): void;
  error(text: string): void;
}

export function createTerminal(): Terminal {
  // A reader that went away ends a print with an error; it must not end the program before it has cleaned up.
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
    warn: (text) => void process.stderr.write(`Warning: ${oneLine(text)}\n`),
    error: (text) => void process.stderr.write(`Error: ${oneLine(text)}\n`),
  };
}

/** What comes from the UPS or a helper program must not write lines or colours of its own. */
function oneLine(text: string): string {
  return visibleText(text.replace(/[\t\r\n]+/g, ' ').trim());
}
