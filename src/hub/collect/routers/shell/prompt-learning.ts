// Learns a device's prompt: what stands last on the screen, twice the same after an empty line, and then stays.
import { limits } from '#contract/limits.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { ShellError } from '../driver.ts';
import { decodePrompt, type ScreenLine } from './decoder.ts';
import { asksForLogin, type Prompt, parsePrompt } from './prompt.ts';
import type { Terminal } from './terminal.ts';

/** What a device shows when a shell opens. */
export interface Greeting {
  prompt: Prompt;
  /** What the device printed before its prompt. */
  banner: string;
}

/** Empty lines typed at most; the first one right behind a banner may be lost. */
const maxEnters = 4;

/** Waits at most `promptMs`. Rejects with `no_prompt`, `login_restricted`, `closed_early` or `too_much_output`. */
export function learnPrompt(terminal: Terminal, promptMs: number, signal: AbortSignal | undefined): Promise<Greeting> {
  const banner: ScreenLine[] = [];
  const { settleMs } = terminal;
  const noPrompt = () => promptMissing(terminal, promptMs);
  return withDeadline(terminal.clock, promptMs, noPrompt, signal, (inner) =>
    terminal.exchange<Greeting>({ signal: inner, idleMs: promptMs * 2, bytes: limits.dialogueBytes }, (over) => {
      const { screen } = terminal;
      let candidate: string | null = null;
      let enters = 0;
      const look = (): void => {
        const rest = screen.rest();
        const prompt = parsePrompt(rest);
        if (screen.isPaused()) {
          terminal.write(' ');
        } else if (prompt && rest === candidate) {
          screen.clear();
          terminal.secrecy.watch(decodePrompt(rest));
          over.settle({
            prompt,
            banner: joinLines(banner.filter(({ raw }) => raw !== rest && raw !== rest.trimEnd())),
          });
        } else if (!asksForLogin(screen.restText()) && enters < maxEnters) {
          candidate = prompt ? rest : null;
          enters += 1;
          screen.clear();
          terminal.write('\r');
          over.whenQuiet(settleMs * 4, look);
        }
      };
      over.whenQuiet(settleMs * 4, look);
      return {
        line: (line) => banner.push(line),
        changed: () => over.whenQuiet(settleMs, look),
        closed: () => over.fail(closedBeforePrompt(joinLines(banner), terminal.lastLine())),
      };
    }),
  );
}

function joinLines(lines: readonly ScreenLine[]): string {
  const whole = lines.filter(({ isDamaged }) => !isDamaged);
  return whole
    .map(({ text }) => text)
    .join('\n')
    .trim();
}

function promptMissing(terminal: Terminal, promptMs: number): ShellError {
  const rest = terminal.screen.restText();
  const seconds = Math.round(promptMs / 1000);
  const facts = { lastLine: terminal.lastLine() };
  if (asksForLogin(rest)) {
    return new ShellError(
      'login_asked',
      'The router asks for a name or password again after the SSH login. Let this user land on the command line directly.',
      facts,
    );
  }
  return new ShellError(
    'no_prompt',
    `No command prompt appeared within ${seconds} s of the login. Check that the chosen kind of router is right and that no banner waits for a key.`,
    facts,
  );
}

function closedBeforePrompt(banner: string, lastLine: string): ShellError {
  if (/Login access is restricted/i.test(banner)) {
    return restricted(lastLine);
  }
  return new ShellError(
    'session_closed',
    'The router accepted the login and closed the session before showing a prompt. Its sessions may all be taken, or this user may not have a shell.',
    { lastLine },
  );
}

export function restricted(lastLine: string): ShellError {
  return new ShellError(
    'login_restricted',
    "The router does not accept a login from this machine's address. Allow it with `sshd host` and the user's `user attribute … connection=ssh`.",
    { lastLine },
  );
}
