// `gatehouse sim ups adopt DIR --version V`: makes fixtures of saved pages, and says which lines of upsget to change.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '#kernel/errors.ts';
import { writeText } from '#kernel/files/files.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { builtInVersion, productVersions, readHtmlFiles, versionFolder } from '../pages/captured-pages.ts';
import { type Adoption, adoptPages } from './adopt.ts';

const usage = (program: string) => `Usage: ${program} DIR --version V [--from OLD] [--replace]

Makes fixtures/ups/V from pages of a new version of the product, which upsget --snapshot DIR saved: the pages, and
expected.json with what a correct reader finds in them. The test of upsget over all versions is red until upsget reads
them; the lines to change are printed. Works in a checkout of the project. Nothing is written when anything is wrong.

  --version V   the new version, such as 1.5.0
  --from OLD    the version to compare with (the newest that is known)
  --replace     replaces fixtures/ups/V, for pages that were saved later
  --help        this text
`;

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Where upsget has the names that it looks for, each in quotes. */
const readerFolder = 'src/upsget';
const versionTest = 'test/upsget/pages';
const mostPages = 200;
const longestPage = 1_000_000;

const options = {
  version: { type: 'string' },
  from: { type: 'string' },
  replace: { type: 'boolean', default: false },
} as const;

/** Resolves to the exit code: 0 when the fixtures were made, 1 when they could not be written, 2 for wrong arguments or pages. */
export function adoptCommand(argv: readonly string[], program: string): Promise<number> {
  const operands = { name: 'folder of saved pages', most: 1 };
  const about = { name: 'sim ups adopt', typed: program, usage: usage(program), options, operands };
  return runProgram(argv, about, async (given, [folder]) => {
    if (folder === undefined) {
      throw new UsageError('needs the folder of the saved pages: DIR');
    }
    const version = checkNewVersion(given.version, given.replace);
    const before = readHtmlFiles(versionFolder(checkFrom(given.from, version)));
    const pages = readSavedPages(folder);
    const adoption = adoptPages(before, pages);
    writeVersion(version, pages, adoption);
    process.stdout.write(describeResult(version, pages.size, adoption));
  });
}

function checkNewVersion(version: string | undefined, mayReplace: boolean): string {
  if (!existsSync(path.join(root, path.dirname(versionTest)))) {
    throw new UsageError('adopt works in a checkout of the project, and this is an installed package');
  }
  if (version === undefined || !/^\d{1,4}(?:\.\d{1,6}){1,3}$/.test(version)) {
    throw new UsageError('--version must be the version of the product, such as --version 1.5.0');
  }
  if (version === builtInVersion) {
    throw new UsageError(`fixtures/ups/${version} must not change: give the version of the new pages`);
  }
  if (existsSync(versionFolder(version)) && !mayReplace) {
    throw new UsageError(`fixtures/ups/${version} exists already: --replace replaces it`);
  }
  return version;
}

/** The version to compare with; throws for one that is not known. */
function checkFrom(from: string | undefined, version: string): string {
  const known = productVersions().filter((one) => one !== version);
  const newest = known.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '';
  if (from !== undefined && !known.includes(from)) {
    throw new UsageError(`--from: there are pages of ${known.join(', ')}, not of "${from}"`);
  }
  return from ?? newest;
}

/** Throws for a folder without pages, and for pages that are too many, too long or in a link. */
function readSavedPages(folder: string): ReadonlyMap<string, string> {
  if (existsSync(folder)) {
    const pages = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name.endsWith('.html'));
    const wrong = pages.find((page) => !page.isFile() || statSync(path.join(folder, page.name)).size > longestPage);
    if (wrong) {
      throw new UsageError(`${path.join(folder, wrong.name)} is not a file of at most ${longestPage / 1e6} MB`);
    }
    if (pages.length > mostPages) {
      throw new UsageError(`${folder} has ${pages.length} pages; adopt takes at most ${mostPages}`);
    }
  }
  try {
    return readHtmlFiles(folder);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Makes the folder beside its place, lists the version, and moves the folder there: a failure leaves the earlier pages. */
function writeVersion(version: string, pages: ReadonlyMap<string, string>, { expected }: Adoption): void {
  const folder = versionFolder(version);
  const made = `${folder}.new`;
  try {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made);
    for (const [name, text] of pages) {
      writeFileSync(path.join(made, name), text);
    }
    writeFileSync(path.join(made, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`);
    listVersion(path.join(path.dirname(folder), 'README.md'), version, pages.size);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } catch (cause) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(`fixtures/ups/${version} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** Puts a row for the version into the table of versions, in place of an earlier one. */
function listVersion(readme: string, version: string, count: number): void {
  const row = `| \`${version}\` | adopted from ${count} saved pages |\n`;
  const isOther = (line: string) => !line.startsWith(`| \`${version}\` |`);
  const others = readFileSync(readme, 'utf8').split('\n').filter(isOther).join('\n');
  writeText(
    readme,
    others.replace(/\| Version \|.*\n\|[-|]+\|\n(?:\|.*\n)*/, (table) => table + row),
  );
}

function describeResult(version: string, count: number, { expected, renamed, lost }: Adoption): string {
  const lines = [`fixtures/ups/${version} has ${count} pages and expected.json: compare it with what you saw.`];
  const unread = [...renamed].filter(([, to]) => findPlace(to) === null);
  for (const [from, to] of unread) {
    const place = findPlace(from) ?? readerFolder;
    lines.push(`${from} is now ${to}: in ${place} write '${from}', '${to}'`);
  }
  for (const [page, found] of Object.entries(expected)) {
    if (found.kind === 'status' && found.missing) {
      const items = found.missing.join(', ');
      lines.push(`${page} has no ${items}: when the product shows it, correct expected.json by hand.`);
    }
  }
  for (const { id, page, candidates } of lost) {
    const others = candidates.length === 0 ? 'it has no new ids' : `its new ids are ${candidates.join(', ')}`;
    lines.push(`${id} is gone from ${page}, and nothing is like it; ${others}. Correct expected.json by hand.`);
  }
  const isRed = unread.length + lost.length > 0;
  const test = `npm test -- ${versionTest}`;
  lines.push(isRed ? `Until then this test is red: ${test}` : `upsget reads these pages as it is: ${test}`);
  return `${lines.join('\n')}\n`;
}

/** File and line in which upsget has this name, such as `src/upsget/items.ts:29`; null when it does not know it. */
function findPlace(name: string): string | null {
  for (const file of readdirSync(path.join(root, readerFolder)).sort()) {
    const lines = readFileSync(path.join(root, readerFolder, file), 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes(`'${name}'`));
    if (at >= 0) {
      return `${readerFolder}/${file}:${at + 1}`;
    }
  }
  return null;
}
