// Comments, messages and documents use the words of the field: the glossary lists those that they replace.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/sources.ts';
import { glossaryHits } from './support/glossary.ts';

/** What is scanned. */
const scanned = ['src', 'simulators', 'gate', 'docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Literal uses: a file, and a text of the line that the word stands in. */
const exceptions: readonly (readonly [file: string, phrase: string])[] = [
  // Summaries of routes stand in the published reference.
  ['src/contract/routers.ts', 'an omitted password is kept'],
  ['src/contract/threat.ts', 'how long answers are kept'],
];

function sources(): [file: string, text: string][] {
  return execFileSync('git', ['ls-files', '--', ...scanned], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:ts|mjs|md|sql)$/.test(file) && !file.includes('fixtures/'))
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]);
}

test('comments, messages and documents use the words of the glossary', () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(150);
  const hits = files.flatMap(([file, text]) => glossaryHits(file, text).map((hit) => ({ file, ...hit })));
  const isException = (hit: (typeof hits)[number], [file, phrase]: (typeof exceptions)[number]) =>
    hit.file === file && hit.text.includes(phrase);
  const found = hits.filter((hit) => !exceptions.some((exception) => isException(hit, exception)));
  expect(found.map(({ file, line, word, better }) => `${file}:${line}: "${word}", better: ${better}`)).toEqual([]);
  const stale = exceptions.filter((exception) => !hits.some((hit) => isException(hit, exception)));
  expect(stale, 'exceptions whose text is gone: delete them').toEqual([]);
});

test.each<[string, string, string[]]>([
  ['a.ts', '// The rows are kept.', ['kept']],
  ['a.ts', "const kept = 'kept';\nwarn('it is\\'nt kept');", ['kept']],
  ['a.ts', 'fail(`$\u007bkept} rows lie beside it`);\n// It was told\n// of this.', ['beside', 'told of']],
  ['a.ts', '/** The hub has its own\n * file, and an own one: `own`, own-names, kept_it. */', ['own']],
  ['a.sql', 'CREATE TABLE kept (at); -- Kept.', ['Kept']],
  ['a.md', 'A list that hangs\non it, of `kept` things\n```\nkept\n```', ['hangs on']],
  ['a.md', "One's own, the hubs' own, an own file, the hub's\nown.", ['own']],
])('the scan reads prose and nothing else: case %#', (name, text, words) => {
  expect(glossaryHits(name, text).map(({ word }) => word)).toEqual(words);
});
