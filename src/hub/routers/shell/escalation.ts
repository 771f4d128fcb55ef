// Raises the privilege. The secret is typed once, only at the first `Password:`, and never appears in an error.
import { limits } from '#contract/limits.ts';
import { ShellError } from '../driver.ts';
import { printable } from '../reader.ts';
import { asksForPassword, isPrompt, type Prompt } from './prompt.ts';
import { cutOff, type Terminal } from './terminal.ts';

/** Types `command`, answers its question for a password with `secret`, and resolves to the raised prompt. */
export function escalate(
  terminal: Terminal,
  prompt: Prompt,
  command: string,
  secret: string,
  signal: AbortSignal | undefined,
): Promise<Prompt> {
  const raised: Prompt = { stem: prompt.stem, level: '#' };
  const { screen } = terminal;
  return terminal
    .exchange<Prompt | ShellError>({ signal, idleMs: terminal.idleMs, bytes: limits.dialogueBytes }, (over) => {
      let isAnswered = false;
      let answer = '';
      terminal.write(`${command}\r`);
      return {
        line(text) {
          if (text.trim() !== '' && !text.includes(command)) {
            answer = text;
          }
        },
        changed() {
          const rest = screen.rest();
          if (isPrompt(rest, raised)) {
            screen.clear();
            over.settle(raised);
          } else if (isPrompt(rest, prompt) && (isAnswered || answer !== '')) {
            screen.clear();
            over.settle(refused(command, answer));
          } else if (asksForPassword(rest)) {
            screen.clear();
            if (isAnswered) {
              over.fail(refused(command, 'It asked for the password again.'));
              return;
            }
            isAnswered = true;
            terminal.write(`${secret}\r`);
          }
        },
        closed: () => over.fail(cutOff(terminal.lastLine())),
      };
    })
    .then((result) => {
      if (result instanceof ShellError) {
        throw result;
      }
      return result;
    });
}

function refused(command: string, answer: string): ShellError {
  const which = command === 'enable' ? 'enable secret' : 'administrator password';
  const said = answer === '' ? '' : ` (${printable(answer.trim())})`;
  return new ShellError(
    'escalation_failed',
    `The router refused the ${which}${said}. Correct it in the router's settings; it is not tried again until then.`,
  );
}
