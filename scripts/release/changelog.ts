// What CHANGELOG.md must say of a release: a section with its version and date, and every public name that changed.

/** A section of Keep a Changelog: `## [1.2.0] - 2026-11-25`. */
interface Section {
  name: string;
  date: string | undefined;
  text: string;
}

const heading = /^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm;

/** In the order of the file. */
export function parseSections(changelog: string): Section[] {
  const found = [...changelog.matchAll(heading)];
  return found.map(([line, name = '', date], at) => ({
    name,
    date,
    text: changelog.slice((found[at]?.index ?? 0) + line.length, found[at + 1]?.index).trim(),
  }));
}

/** The lines that keep `version` from being released; empty when none does. */
export function changelogFaults(changelog: string, version: string): string[] {
  const [unreleased, latest] = parseSections(changelog);
  if (unreleased?.name !== 'Unreleased' || unreleased.text !== '') {
    return [
      `CHANGELOG.md has entries that belong to no release: move them below "## [${version}] - DATE", and leave "## [Unreleased]" empty above`,
    ];
  }
  if (latest?.name !== version || latest.date === undefined) {
    return [`the first release in CHANGELOG.md is not "## [${version}] - DATE", though package.json says ${version}`];
  }
  return latest.text === '' ? [`CHANGELOG.md says nothing of ${version}`] : [];
}

/** A pinned surface: a name in each line that does not begin with a space. */
export interface PinnedFile {
  file: string;
  before: string;
  now: string;
}

/**
 * Public names (routes, variables, limits, codes, tools, checks) that came, went or changed since the release before,
 * and that `section` does not name. A line of a pin begins with its name; routes are `METHOD path`.
 */
export function unnamedChanges(pins: readonly PinnedFile[], section: string): string[] {
  return pins.flatMap(({ file, before, now }) => {
    const old = namesOf(before);
    const next = namesOf(now);
    const all = new Set([...old.keys(), ...next.keys()]);
    const changed = [...all].filter((name) => old.get(name) !== next.get(name) && !section.includes(name));
    return changed.map((name) => {
      const what = !old.has(name) ? 'is new' : next.has(name) ? 'changed' : 'is gone';
      return `${file}: ${name} ${what}, and CHANGELOG.md does not name it`;
    });
  });
}

/** Name → all that the pin says of it. */
function namesOf(pin: string): Map<string, string> {
  const names = new Map<string, string>();
  let name = '';
  for (const line of pin.split('\n')) {
    if (/^\S/.test(line)) {
      [name = ''] = /^(?:(?:GET|POST|PUT|PATCH|DELETE)\s+)?\S+/.exec(line) ?? [];
      name = name.replace(/\s+/, ' ');
    }
    if (name !== '') {
      names.set(name, `${names.get(name) ?? ''}${line.replace(/\s+/g, ' ').trim()}\n`);
    }
  }
  return names;
}
