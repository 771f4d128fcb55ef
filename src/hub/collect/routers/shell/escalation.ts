// Raises the privilege. The secret is typed once, only at the first `Password:`. A device may echo it, so no failure
// quotes what the device answers: the sentences here are fixed.
import { limits } from '#contract/limits.ts';
import { ShellError } from '../driver.ts';
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
      let hasSpoken = false;
      terminal.write(`${command}\r`);
      return {
        line({ text, isDamaged }) {
          hasSpoken ||= !isDamaged && text.trim() !== '' && !text.includes(command);
        },
        changed() {
          const rest = screen.rest();
          if (isPrompt(rest, raised)) {
            screen.clear();
            over.settle(raised);
          } else if (isPrompt(rest, prompt) && (isAnswered || hasSpoken)) {
            screen.clear();
            over.settle(isAnswered ? refused(command) : notAsked(command));
          } else if (asksForPassword(screen.restText())) {
            screen.clear();
            if (isAnswered) {
              over.fail(refused(command));
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

function refused(command: string): ShellError {
  return new ShellError(
    'escalation_failed',
    `The router refused the ${nameSecret(command)}. Correct it in the router's settings.`,
  );
}

/** It went back to its prompt without a question: nothing was typed. */
function notAsked(command: string): ShellError {
  return new ShellError(
    'no_secret_asked',
    `The router refused \`${command}\` without asking for the ${nameSecret(command)}: it may have none, or this user may not use it. Set one on the router, or remove it from the router's settings here.`,
  );
}

function nameSecret(command: string): string {
  return command === 'enable' ? 'enable secret' : 'administrator password';
}
