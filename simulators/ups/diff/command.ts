// `gatehouse sim ups diff OLD NEW`: what a new version of the product changed in its pages.
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { readHtmlFiles } from '../pages/captured-pages.ts';
import { type Change, diffPages } from './page-diff.ts';

export const diffUsage = (program: string) => `Usage: ${program} OLD NEW [--json]

Compares the element ids of saved pages. OLD and NEW are folders with pages of the same names, as in fixtures/ups/1.4.0
or as upsget --snapshot writes them, or two .html files.
Ends with 0 when nothing differs, with 1 when something does, with 2 when it cannot compare.

  --json   one JSON document instead of lines
  --help   this text
`;

/** Resolves to the exit code. */
export async function diffCommand(argv: readonly string[], program: string): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
      allowPositionals: true,
    });
    if (values.help) {
      process.stdout.write(diffUsage(program));
      return 0;
    }
    const [before, after, ...more] = positionals;
    if (before === undefined || after === undefined || more.length > 0) {
      throw new Error('diff takes two folders, or two files: OLD and NEW');
    }
    const { changes, unpaired } = diffPages(readHtmlFiles(before), readHtmlFiles(after));
    const lines = [...changes.map(shown), ...unpaired.map((name) => `not compared: ${name} is on one side only`)];
    const text = lines.length === 0 ? 'no difference' : lines.join('\n');
    process.stdout.write(values.json ? `${JSON.stringify({ changes, unpaired }, null, 1)}\n` : `${text}\n`);
    return changes.length === 0 ? 0 : 1;
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    process.stderr.write(`${program}: ${messageOf(error).split('. ')[0]}\n`);
    return 2;
  }
}

function shown({ kind, from, to, because, pages }: Change): string {
  const what = kind === 'renamed' ? `${from} -> ${to}` : (to ?? from ?? '');
  const named = pages.filter((page) => page !== '');
  const where = `in ${named.slice(0, 2).join(', ')}${named.length > 2 ? ` and ${named.length - 2} more` : ''}`;
  return [kind, what, because === '' ? '' : `(${because})`, named.length === 0 ? '' : where]
    .filter((part) => part !== '')
    .join('  ');
}
