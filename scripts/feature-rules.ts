// How the hub is composed, as a pure check of its source texts: what lies at its root, what a feature is, what starts when.

/** The files at the root of the hub; everything else belongs to a feature. */
const rootFiles = ['main', 'config', 'hub', 'run', 'features', 'feature', 'signals', 'queries', 'times', 'health'];
/** Lines of a function that composes. */
const maxLines = 40;

/** What breaks the rules, one sentence each. `files` maps repository paths to source texts. */
export function featureViolations(files: ReadonlyMap<string, string>): string[] {
  const list = files.get('src/hub/features.ts') ?? '';
  return [...files].flatMap(([file, text]) => [
    ...(isForeignRoot(file)
      ? [`${file}: src/hub has only ${rootFiles.join(', ')}; put it into the folder of its feature`]
      : []),
    ...(isFeature(file) ? starters(file, text, list) : []),
    ...(isComposition(file)
      ? functionsOf(text).flatMap((body) => [...tooLong(file, body), ...usedEarly(file, body)])
      : []),
  ]);
}

function isForeignRoot(file: string): boolean {
  const [, name] = /^src\/hub\/([^/]+)\.ts$/.exec(file) ?? [];
  return name !== undefined && !rootFiles.includes(name);
}

function isFeature(file: string): boolean {
  return /^src\/hub\/.+\/feature\.ts$/.test(file);
}

function isComposition(file: string): boolean {
  return isFeature(file) || /^src\/hub\/(?:hub|features)\.ts$/.test(file);
}

function starters(file: string, text: string, list: string): string[] {
  const names = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = '']) => name);
  const [name = ''] = names;
  if (names.length !== 1 || !/^start\w+Feature$/.test(name)) {
    return [`${file}: a feature exports one function, start…Feature; this exports ${names.join(', ') || 'none'}`];
  }
  return list.includes(`${name}(`) ? [] : [`${file}: src/hub/features.ts does not call ${name}`];
}

/** Every function at the outer level, its lines. */
function functionsOf(text: string): string[][] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const end = lines.indexOf('}', at);
    return /^(?:export )?(?:async )?function /.test(line) && end > at ? [lines.slice(at, end + 1)] : [];
  });
}

function tooLong(file: string, body: readonly string[]): string[] {
  const name = /function (\w+)/.exec(body[0] ?? '')?.[1];
  return body.length >= maxLines
    ? [`${file}: ${name} has ${body.length} lines; a function that composes has less than ${maxLines}`]
    : [];
}

/** A value that a function before its declaration names is not there yet when that function is called too early. */
function usedEarly(file: string, body: readonly string[]): string[] {
  return body.flatMap((line, at) => {
    const declared = /^ {2}const (?:\{ (.*) \}|(\w+)) = /.exec(line);
    const names = declared
      ? (declared[2] ?? declared[1] ?? '').split(/,\s*/).map((name) => name.replace(/^(?:\.{3}|\w+: )/, ''))
      : [];
    const after = body.findIndex((later, index) => index > at && /^ {2}\S/.test(later) && !/^ {2}[})\]]/.test(later));
    const own = [line.slice(line.indexOf(' = ')), ...body.slice(at + 1, after)];
    return names
      .filter((name) => /^\w+$/.test(name))
      .flatMap((name) => {
        const use = new RegExp(`(?<![.\\w])${name}\\b(?!\\w*['":(?]| =)`);
        const early = [...body.slice(0, at), ...own].some((text) => use.test(text.replace(/\/[/*].*|'[^']*'/g, '')));
        return early ? [`${file}: ${name} is used before it is defined`] : [];
      });
  });
}
