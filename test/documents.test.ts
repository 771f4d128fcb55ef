// The documents: every block has a class and can be parsed, and what they name exists. test/e2e/documents*.test.ts runs them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentNames, findBlocks, readDocument } from './support/documents/blocks.ts';
import { classes, ownStages } from './support/documents/classes.ts';
import { findCommands } from './support/documents/commands.ts';
import { findFaults } from './support/documents/judge.ts';
import {
  commandFaults,
  commandMentions,
  isRoute,
  linkLeadsNowhere,
  linkMentions,
  type Mention,
  routeMentions,
  scriptMentions,
  scriptNames,
  variableMentions,
  variablesOfSources,
} from './support/documents/mentions.ts';
import { root } from './support/program.ts';

const documents = documentNames().map((file) => ({ file, source: readDocument(file) }));
const all = (find: (source: string) => readonly Mention[], files = documents) =>
  files.flatMap(({ file, source }) => find(source).map((mention) => ({ file, ...mention })));
/** What is said there is of its time: names of before stay. */
const current = documents.filter(({ file }) => file !== 'CHANGELOG.md' && !file.startsWith('docs/decisions/'));

test('every block has a class that a test knows, and can be parsed', () => {
  const blocks = documents.flatMap(({ file, source }) => findBlocks(file, source));
  expect(blocks.length).toBeGreaterThan(50);
  expect(blocks.flatMap(findFaults)).toEqual([]);
});

test.each(Object.entries(ownStages))('%s has a stage of its own in %s', (document, file) => {
  expect(existsSync(path.join(root, document))).toBe(true);
  expect(readFileSync(path.join(root, file), 'utf8')).toContain(`'${document}'`);
});

test('commands of ours and their options are in their --help', async () => {
  const found = all(commandMentions, current);
  expect(found.length).toBeGreaterThan(60);
  const faults = await Promise.all(
    found.map(async ({ file, line, text }) => (await commandFaults(text)).map((what) => `${file}:${line}: ${what}`)),
  );
  expect([...new Set(faults.flat())]).toEqual([]);
});

test('npm scripts, variables, routes and linked files exist', () => {
  const [scripts, variables] = [scriptNames(), variablesOfSources()];
  const isVariable = (name: string) => variables.has(name) || variables.has(name.replace(/_FILE$/, ''));
  expect([
    ...all(scriptMentions, current).filter(({ text }) => !scripts.has(text)),
    ...all(variableMentions, current).filter(({ text }) => !isVariable(text)),
    ...all(routeMentions, current).filter(({ text }) => !isRoute(text)),
    ...all(linkMentions).filter(({ file, text }) => linkLeadsNowhere(file, text)),
  ]).toEqual([]);
});

describe('a planted document', () => {
  const planted = (...lines: string[]) => findBlocks('planted.md', lines.join('\n')).flatMap(findFaults);

  test.each<[string, string[], RegExp]>([
    ['a block without a class', ['```', 'ls', '```'], /planted\.md:1: a block of the class ""/],
    ['a class that nobody knows', ['x', '```console', '$ ls', '```'], /planted\.md:2: a block of the class "console"/],
    ['shell that bash cannot read', ['```sh', 'if true', '```'], /bash cannot read it/],
    [
      'an unrun command without a reason',
      ['```sh elsewhere', 'frobnicate --now', '```'],
      /"frobnicate --now" is not run/,
    ],
    ['JSON with a comma too many', ['  ```json', '  {"a":1,}', '  ```'], /planted\.md:1: cannot be parsed/],
    ['XML whose elements do not match', ['```xml', '<a><b></a></b>', '```'], /<\/a> ends what is not open/],
    ['YAML that does not end', ['```yaml', 'a: [1', '```'], /cannot be parsed/],
    ['a command that is passed off as output', ['```text', '$ gatehouse hub', '```'], /a command behind a prompt/],
    ['a variable without a value', ['```env', 'MONITOR_URL', '```'], /not NAME=VALUE/],
  ])('%s is red', (_what, lines, message) => {
    expect(planted(...lines)).toEqual([expect.stringMatching(message)]);
  });

  test('a block that is never closed is red', () => {
    expect(() => findBlocks('planted.md', '```sh\nls')).toThrow('planted.md:1: the block is never closed');
  });

  test.each<[string, RegExp]>([
    ['gatehouse frobnicate', /^gatehouse has no command frobnicate$/],
    ['gatehouse hub --frobnicate', /^gatehouse hub --help says nothing of --frobnicate$/],
    ['gatehouse agent enroll --hub URL --frobnicate X', /^gatehouse agent enroll --help says nothing of --frobnicate$/],
    ['upsget --watch 60 --frobnicate', /^upsget --help says nothing of --frobnicate$/],
  ])('`%s` is red', async (command, message) => {
    const source = `Type \`${command}\` there.`;
    expect(commandMentions(source)).toEqual([{ line: 1, text: command }]);
    expect(await commandFaults(command)).toEqual([expect.stringMatching(message)]);
  });

  test('names of scripts, variables and files are found in it', () => {
    const source = 'Run `npm run frobnicate`\nwith `MONITOR_FROBNICATE=1`, see [there](docs/frobnicate.md#x).';
    expect(scriptMentions(source)).toEqual([{ line: 1, text: 'frobnicate' }]);
    expect(variableMentions(source)).toEqual([{ line: 2, text: 'MONITOR_FROBNICATE' }]);
    expect(linkMentions(source)).toEqual([{ line: 2, text: 'docs/frobnicate.md' }]);
    expect(linkLeadsNowhere('README.md', 'docs/frobnicate.md')).toBe(true);
    expect(routeMentions('`GET /api/frobnicate?x`, `PUT /api/routers/ID {}`').map(({ text }) => isRoute(text))).toEqual(
      [false, true],
    );
  });

  test('commands are told apart: continued lines, comments, quotes over lines, here-documents', () => {
    const text = "a \\\n  b # c\n# d\necho 'x # y\n z'\ncat > f <<'END'\nrm\nEND\ne";
    expect(findCommands(text)).toEqual(['a b', "echo 'x # y z'", "cat > f <<'END'", 'e']);
  });
});

test('CONTRIBUTING.md has each class for writers', () => {
  const source = readDocument('CONTRIBUTING.md');
  expect(Object.keys(classes).filter((name) => !source.includes(`\`${name}\``))).toEqual([]);
});
