// Parses the configuration file with the grammar of Python's configparser, without interpolation of `%`.

/** Sections by name, with keys in lower case. `[DEFAULT]` is merged into every section. */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface IniMistake {
  /** 1 and up. */
  line: number;
  message: string;
}

/**
 * `=` and `:` separate key and value; `#` and `;` start a comment only at the start of a line; quotes are part of the
 * value; an indented line continues the value above. Returns the first error instead of throwing.
 */
export function parseIni(text: string): Ini | IniMistake {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | null = null;
  let key: string | null = null;
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const [at, line] of lines.entries()) {
    const wrong = (message: string): IniMistake => ({ line: at + 1, message });
    const trimmed = line.trim();
    if (trimmed === '' || /^[#;]/.test(trimmed)) {
      continue;
    }
    const above = key === null ? undefined : section?.get(key);
    if (/^\s/.test(line) && section && key !== null && above !== undefined) {
      section.set(key, `${above}\n${trimmed}`);
      continue;
    }
    const heading = /^\[([^\]]*)\]$/.exec(trimmed)?.[1];
    if (heading !== undefined) {
      if (sections.has(heading)) {
        return wrong(`the section [${heading}] is there twice`);
      }
      section = new Map();
      sections.set(heading, section);
      key = null;
      continue;
    }
    if (!section) {
      return wrong('the first line must be a section such as [ups]');
    }
    const pair = /^([^=:]*?)\s*[=:]\s*(.*)$/s.exec(trimmed);
    if (!pair?.[1]) {
      return wrong('a line is KEY = VALUE');
    }
    key = pair[1].toLowerCase();
    if (section.has(key)) {
      return wrong(`${key} is there twice`);
    }
    section.set(key, pair[2] ?? '');
  }
  const defaults = sections.get('DEFAULT') ?? new Map<string, string>();
  return new Map([...sections].map(([name, own]) => [name, new Map([...defaults, ...own])]));
}

export function isMistake(parsed: Ini | IniMistake): parsed is IniMistake {
  return 'message' in parsed;
}
