// Talks to a vendor's command language without a connection: typed lines in, what the terminal would show out.

import type { WorldView } from '#simulators/router/model.ts';
import { encode, wrapRow } from '#simulators/router/terminal/encoding.ts';
import { printLines } from '#simulators/router/terminal/printer.ts';
import type { Login, Outcome, Vendor } from '#simulators/router/vendor.ts';

export interface Dialogue {
  readonly login: Login;
  /** Types a line (a single key at a question for one); returns what is shown up to the next time it waits. */
  type(typed: string): string;
  readonly closed: boolean;
  /** Milliseconds of pauses so far. */
  readonly waited: number;
}

/** A dialogue that starts at the prompt of a new login; `privileged` puts it at `#`. */
export function startDialogue(vendor: Vendor, world: WorldView, privileged = false): Dialogue {
  const login = vendor.newLogin(world.credentials.user, world);
  login.privileged ||= privileged;
  let asked: Extract<Outcome, { kind: 'secret' | 'key' }> | null = null;
  let closed = false;
  let waited = 0;

  const show = (outcome: Outcome): string => {
    switch (outcome.kind) {
      case 'lines':
        return text(outcome.lines) + vendor.prompt(world, login);
      case 'raw':
      case 'played':
        return Buffer.from(outcome.bytes).toString('latin1') + vendor.prompt(world, login);
      case 'secret':
      case 'key':
        asked = outcome;
        return outcome.prompt;
      case 'wait':
        waited += outcome.ms;
        return text(outcome.lines) + show(outcome.next);
      case 'close':
        closed = true;
        return text(outcome.lines ?? []);
    }
  };

  const text = (lines: Iterable<string>) => {
    const columns = vendor.wrapAt(world, login);
    const rows = [...lines].flatMap((line) => (columns === null ? [line] : wrapRow(line, columns)));
    return rows.map((row) => `${row}\r\n`).join('');
  };

  return {
    login,
    type(typed) {
      const question = asked;
      asked = null;
      if (question === null) {
        return `${typed}\r\n${show(vendor.run(typed, world, login))}`;
      }
      const echo = question.kind === 'key' ? typed : '';
      return `${echo}\r\n${show(question.answer(typed))}`;
    },
    get closed() {
      return closed;
    },
    get waited() {
      return waited;
    },
  };
}

/** Lines a command prints; throws when it leads to anything but output. */
export function linesOf(vendor: Vendor, world: WorldView, command: string, privileged = false): readonly string[] {
  const login = vendor.newLogin(world.credentials.user, world);
  login.privileged ||= privileged;
  const outcome = vendor.run(command, world, login);
  if (outcome.kind !== 'lines') {
    throw new Error(`"${command}" led to ${outcome.kind}, not to lines`);
  }
  return [...outcome.lines];
}

/**
 * The bytes a command sends between its echo and the next prompt, through the terminal's own printer: wrapped,
 * encoded, and with `paged` also paged, a SPACE answering every page.
 */
export async function bytesOf(
  vendor: Vendor,
  world: WorldView,
  command: string,
  options: { privileged?: boolean; paged?: boolean } = {},
): Promise<Buffer> {
  const login = vendor.newLogin(world.credentials.user, world);
  const sent: Uint8Array[] = [];
  const { text, erase, rows } = vendor.pager(world, login);
  await printLines(linesOf(vendor, world, command, options.privileged), {
    encoding: vendor.encoding(world),
    wrapAt: vendor.wrapAt(world, login),
    pager: { text, erase, rows: options.paged ? rows : null },
    logLine: null,
    noise: null,
    cut: null,
    send: async (bytes) => {
      sent.push(Uint8Array.from(bytes));
    },
    pagerKey: async (meaning) => meaning({ kind: 'character', byte: 0x20 }) ?? Promise.reject(new Error('no page')),
    isInterrupted: () => false,
    takeLogs: () => [],
  });
  return Buffer.concat(sent);
}

/** A text as the vendor would put it on the line. */
export function encoded(vendor: Vendor, world: WorldView, shown: string): Buffer {
  return encode(shown, vendor.encoding(world));
}
