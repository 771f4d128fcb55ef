// The single commands of a block of shell: lines joined at backslashes, comments left out, here-documents skipped.

/** One command line, as it is written. */
export function findCommands(text: string): readonly string[] {
  const commands: string[] = [];
  let hereUntil: string | null = null;
  let quote = '';
  let pending = '';
  for (const line of text.split('\n')) {
    if (hereUntil !== null) {
      hereUntil = line.trim() === hereUntil ? null : hereUntil;
      continue;
    }
    const typed = withoutComment(line, quote);
    pending += pending === '' ? typed.trim() : `\n${typed}`;
    quote = openQuote(pending);
    if (quote !== '') {
      continue;
    }
    if (pending.endsWith('\\')) {
      pending = `${pending.slice(0, -1).trimEnd()} `;
      continue;
    }
    if (pending.trim() !== '') {
      commands.push(pending.replace(/\s*\n\s*/g, ' ').trim());
    }
    hereUntil = /<<-?\s*['"]?(\w+)/.exec(pending)?.[1] ?? null;
    pending = '';
  }
  return commands;
}

/** The line up to a `#` that begins a word outside of quotes. */
function withoutComment(line: string, quote: string): string {
  const at = [...line.matchAll(/(?<=^|\s)#/g)].find(
    ({ index }) => openQuote(line.slice(0, index), quote) === '',
  )?.index;
  return at === undefined ? line : line.slice(0, at).trimEnd();
}

/** The quote that is open behind `text`, which begins in `first`; empty when none is. */
function openQuote(text: string, first = ''): string {
  let open = first;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '\\' && open !== "'") {
      at += 1;
    } else if (open === '' ? letter === "'" || letter === '"' : letter === open) {
      open = open === '' ? letter : '';
    }
  }
  return open;
}
