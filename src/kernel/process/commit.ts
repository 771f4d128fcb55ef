// The commit this program was built from: from the environment, a file of the build, or the checkout it runs in.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ifThere } from '../files/files.ts';

const pattern = /^[0-9a-f]{40}$/;

/** The setting `GATEHOUSE_COMMIT`: 40 hexadecimal digits in lower case. */
export const commitSetting = z.string().regex(pattern, 'must be 40 hexadecimal digits in lower case').optional();

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/** `given`, else the text of the file `COMMIT` in `folder`, else what git has checked out there; null: unknown. */
export function buildCommit(given?: string, folder = packageFolder): string | null {
  return given ?? commitIn(textOf(path.join(folder, 'COMMIT'))) ?? checkedOut(folder);
}

/** `VERSION+COMMIT` (Semantic Versioning 2.0.0 §10); the version alone when the commit is unknown. */
export function releaseName(version: string, commit: string | null): string {
  return commit === null ? version : `${version}+${commit}`;
}

/** Reads HEAD as git does (gitrepository-layout(5)): also of a linked worktree, and with packed references. */
function checkedOut(folder: string): string | null {
  const dotGit = path.join(folder, '.git');
  const [, linked] = /^gitdir: (.+)/m.exec(textOf(dotGit)) ?? [];
  const own = linked === undefined ? dotGit : path.resolve(folder, linked);
  const common = path.resolve(own, textOf(path.join(own, 'commondir')).trim() || '.');
  const head = textOf(path.join(own, 'HEAD'));
  const [, reference] = /^ref: (refs\/[\w./-]+)$/m.exec(head) ?? [];
  return reference === undefined
    ? commitIn(head)
    : (commitIn(textOf(path.join(common, reference))) ?? packed(textOf(path.join(common, 'packed-refs')), reference));
}

function packed(text: string, reference: string): string | null {
  const line = text.split('\n').find((one) => one.slice(41) === reference);
  return commitIn(line?.slice(0, 40) ?? '');
}

function commitIn(text: string): string | null {
  const commit = text.trim();
  return pattern.test(commit) ? commit : null;
}

/** Empty when there is no such file; a folder is none. */
function textOf(file: string): string {
  return ifThere(() => readFileSync(file, 'utf8'), '', ['ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES']);
}
