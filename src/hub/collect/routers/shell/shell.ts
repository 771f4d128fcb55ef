// A Shell over a terminal whose prompt is known: an answer ends at that prompt and nowhere else.
import { limits } from '#contract/limits.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { systemClock, withDeadline } from '#kernel/time/clock.ts';
import { type Output, type RunOptions, type Shell, ShellError } from '../driver.ts';
import { decodePrompt, type ScreenLine } from './decoder.ts';
import { createEchoFilter } from './echo.ts';
import { escalate } from './escalation.ts';
import { asksForPassword, asksToSave, isPrompt, type Prompt, parsePrompt } from './prompt.ts';
import { watchPromptChange } from './prompt-change.ts';
import { cutOff, type Terminal } from './terminal.ts';
import { checkRows } from './too-much.ts';

/** The Shell a driver works with, once the prompt is known. */
export function createShell(terminal: Terminal, firstPrompt: Prompt, banner: string, hostFp: string): Shell {
  const device: DeviceHabits = { prompt: firstPrompt, echoes: true };
  return {
    hostFp,
    get hostName() {
      return visibleText(terminal.secrecy.name(decodePrompt(device.prompt.stem).trim()), 80);
    },
    banner,
    secrecy: terminal.secrecy,
    privileged: () => device.prompt.level === '#',
    decodeAs: (encoding) => terminal.screen.decodeAs(encoding),
    run: (command, options = {}) => run(terminal, device, command, options),
    async escalate(command, secret, signal) {
      device.prompt = await escalate(terminal, device.prompt, command, secret, signal);
    },
    [Symbol.asyncDispose]: () => leave(terminal, device.prompt),
  };
}

/** What is known of the device from its answers so far. */
interface DeviceHabits {
  prompt: Prompt;
  /** Whether the device repeats what is typed; known from its first answer, so that later ones need no long wait. */
  echoes: boolean;
}

/** Pages that brought nothing but blank lines, or questions whether to save, before the device is called stuck. */
const maxInVain = 20;

/** Time a page question stands unanswered before its key is pressed once more; real time, as the bytes are. */
const pressAgainMs = 2000;

function run(terminal: Terminal, device: DeviceHabits, command: string, options: RunOptions): Promise<Output> {
  const { screen, settleMs } = terminal;
  const { prompt } = device;
  const output: Output = { lines: [], noisy: 0, pages: 0, pressedAgain: 0 };
  const keep = (line: string): void => {
    output.lines.push(line);
    checkRows(output.lines.length);
  };
  const take = options.onLine ?? keep;
  // What a driver reads is shown in the end; a tab is a blank of a table.
  const hand = ({ text, isDamaged }: ScreenLine): void => {
    if (isDamaged) {
      output.noisy += 1;
    } else {
      take(visibleText(text.replaceAll('\t', ' '), text.length));
    }
  };
  const bounds = {
    signal: options.signal,
    idleMs: options.idleMs ?? terminal.idleMs,
    bytes: options.onLine ? limits.answerBytes : limits.keptAnswerBytes,
  };
  return terminal.exchange<Output>(bounds, (over) => {
    const echo = createEchoFilter(command, prompt);
    let inVain = 0;
    let pressed = 0;
    let promptPassed = false;
    const finish = (): void => {
      for (const line of [...echo.held(), ...change.held()]) {
        hand(line);
      }
      device.echoes = echo.isOver();
      screen.clear();
      over.settle(output);
    };
    const change = watchPromptChange({ terminal, known: prompt }, over, (next) => {
      device.prompt = next;
      terminal.secrecy.watch(decodePrompt(next.stem));
      finish();
    });
    const press = (key: string): void => {
      pressed += 1;
      checkRows(pressed, 'pages');
      inVain += 1;
      if (inVain > maxInVain) {
        over.fail(pagingInVain());
      } else {
        terminal.write(key);
      }
    };
    /** A key can be lost on the line: when nothing at all follows it, it is pressed a second time. */
    const turnPage = (): void => {
      output.pages += 1;
      over.whenQuiet(pressAgainMs, () => {
        output.pressedAgain += 1;
        press(' ');
      });
      press(' ');
    };
    /** A second key that was one too many stands behind the prompt as a blank. */
    const isAtPrompt = (rest: string): boolean => isPrompt(output.pressedAgain > 0 ? rest.trimEnd() : rest, prompt);
    terminal.write(`${command}\r`);
    return {
      line(line) {
        inVain = line.text.trim() === '' ? inVain : 0;
        if (echo.isOver() && isPrompt(line.raw, prompt)) {
          promptPassed = true;
          return;
        }
        for (const one of echo.take(line).flatMap(change.take)) {
          hand(one);
        }
      },
      changed() {
        const rest = screen.rest();
        if (screen.isPaused()) {
          turnPage();
        } else if (isAtPrompt(rest)) {
          // A bare `# ` may be the start of a comment line cut by the network, and without an echo it may be an old prompt.
          const isCertain = echo.isOver() && !(prompt.stem === '' && prompt.level === '#');
          if (isCertain) {
            finish();
          } else {
            over.whenQuiet(echo.isOver() || !device.echoes ? settleMs : settleMs * 4, finish);
          }
        } else if (asksToSave(rest)) {
          screen.clear();
          press('N');
        } else if (isPasswordQuestion(screen.restText())) {
          over.whenQuiet(settleMs * 4, () => over.fail(unexpectedPassword()));
        } else if (promptPassed && rest === '') {
          over.whenQuiet(settleMs * 4, finish);
        } else if (echo.isOver()) {
          change.look(rest);
        }
      },
      closed: () => over.fail(cutOff(terminal.lastLine())),
      silent: () => (screen.isPaused() ? pagingStuck(terminal.lastLine()) : null),
    };
  });
}

function pagingInVain(): ShellError {
  return new ShellError(
    'paging_endless',
    'The router asks for a key again and again without showing more. Turn paging off for this user.',
  );
}

function pagingStuck(lastLine: string): ShellError {
  return new ShellError(
    'paging_stuck',
    `The router waits for a key to show more and did not go on, though the space bar was pressed twice, ${pressAgainMs / 1000} s apart. The next poll connects anew; if it happens again, turn paging off for this user.`,
    { lastLine },
  );
}

function isPasswordQuestion(text: string): boolean {
  return asksForPassword(text) && text.trim().length < 40;
}

function unexpectedPassword(): ShellError {
  return new ShellError(
    'password_asked',
    'The router asks for a password in the middle of a command. Nothing was typed and the connection was closed.',
  );
}

/** Time for leaving as a whole, and without a byte; real time, as the bytes are. */
const leaveMs = 4000;
const leaveQuietMs = 2000;

/** Leaves politely, so that the device frees its line at once; gives up after a short time and closes in any case. */
async function leave(terminal: Terminal, prompt: Prompt): Promise<void> {
  if (terminal.isClosed() || terminal.isBusy()) {
    terminal.close();
    return;
  }
  let exits = prompt.level === '#' ? 2 : 1;
  try {
    await withDeadline(systemClock, leaveMs, stillTalking, undefined, (signal) =>
      terminal.exchange<void>({ signal, idleMs: leaveQuietMs, bytes: limits.dialogueBytes }, (over) => {
        const giveUp = (): void => over.whenQuiet(leaveQuietMs, () => over.settle());
        terminal.screen.clear();
        terminal.write('exit\r');
        giveUp();
        return {
          changed() {
            giveUp();
            const rest = terminal.screen.rest();
            const found = parsePrompt(rest);
            if (asksToSave(rest)) {
              terminal.screen.clear();
              terminal.write('N');
            } else if (found && found.stem === prompt.stem && exits > 1) {
              exits -= 1;
              terminal.screen.clear();
              terminal.write('exit\r');
            }
          },
          closed: () => over.settle(),
        };
      }),
    );
  } catch (error) {
    // Leaving is a courtesy: a device that says nothing any more, or does not stop talking, is left without it.
    if (!(error instanceof ShellError)) {
      throw error;
    }
  } finally {
    terminal.close();
  }
}

function stillTalking(): ShellError {
  return new ShellError('timed_out', `The router did not end the session within ${leaveMs / 1000} s; it was cut.`);
}
