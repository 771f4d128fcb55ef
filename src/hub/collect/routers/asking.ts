// What drivers of both kinds do with commands: run one, tell a refusal from an answer, read a table line by line.
import type { RouterNote } from '#contract/router-notes.ts';
import {
  type CollectOptions,
  type Lease,
  type Neighbour,
  type RouterKind,
  type Shell,
  ShellError,
  type Snapshot,
  type Unparsed,
} from './driver.ts';
import { requireKind } from './kinds.ts';
import { mergeUnparsed, type SessionReader, type SessionTable } from './reader.ts';

export interface Answer<Refusal> {
  lines: string[];
  error: Refusal | null;
}

export interface TableAnswer<Table, Refusal> {
  table: Table;
  error: Refusal | null;
  /** Lines that were not handed to the reader: they hold control bytes, or cannot be decoded. */
  noisy: number;
  pages: number;
  pressedAgain: number;
}

/** `parseRefusal` gives the class of a line with which a router of this kind refuses a command; null for other lines. */
export function createAsking<Refusal>(kind: RouterKind, parseRefusal: (line: string) => Refusal | null) {
  /** Runs a short command. Throws `wrong_vendor` when the answer is the other kind's refusal. */
  async function ask(shell: Shell, command: string, signal: AbortSignal): Promise<Answer<Refusal>> {
    const { lines } = await shell.run(command, { signal });
    requireKind(kind, lines);
    return { lines, error: lines.map(parseRefusal).find((error) => error !== null) ?? null };
  }

  return {
    ask,

    /** The lines of an answer; none when the command was refused, now or earlier on this connection. */
    async askIfKnown(shell: Shell, command: string, options: CollectOptions): Promise<string[]> {
      if (options.memory.refused.has(command)) {
        return [];
      }
      const answer = await ask(shell, command, options.signal);
      if (answer.error !== null) {
        options.memory.refused.add(command);
        return [];
      }
      return answer.lines;
    },

    /** Reads a table. A ShellError that cuts it off has the sessions that were read before. */
    async readTable<Table extends SessionTable>(
      shell: Shell,
      command: string,
      reader: SessionReader<Table>,
      signal: AbortSignal,
    ): Promise<TableAnswer<Table, Refusal>> {
      let error: Refusal | null = null;
      const onLine = (line: string) => {
        const refusal = parseRefusal(line);
        error ??= refusal;
        if (refusal === null) {
          reader.push(line);
        }
      };
      const { noisy, pages, pressedAgain } = await shell.run(command, { signal, onLine }).catch((thrown) => {
        throw thrown instanceof ShellError ? thrown.after(reader.end({ cut: true, noisy: 0 }).sessions) : thrown;
      });
      return { table: reader.end({ cut: false, noisy }), error, noisy, pages, pressedAgain };
    },
  };
}

interface ReadParts {
  table: SessionTable;
  /** Null where this read did not ask for them. */
  neighbours: { found: readonly Neighbour[]; at: number; unparsed: Unparsed } | null;
  leases: readonly Lease[] | null;
  notes: readonly RouterNote[];
}

export function toSnapshot(shell: Shell, model: string, { table, neighbours, leases, notes }: ReadParts): Snapshot {
  const { sessions, complete, declared, unparsed, unsupported } = table;
  return {
    sessions,
    complete,
    declared,
    neighbours: neighbours?.found ?? null,
    neighboursAt: neighbours?.at ?? null,
    leases,
    unparsed: neighbours ? mergeUnparsed(unparsed, neighbours.unparsed) : unparsed,
    unsupported,
    hostName: shell.hostName,
    model,
    notes,
  };
}
