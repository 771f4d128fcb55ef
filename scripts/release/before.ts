// The release before: the latest version tag that HEAD descends from, and the pins as they were then.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../sources.ts';
import type { PinnedFile } from './changelog.ts';
import { git } from './program.ts';

/** Ids of requirements are not public names. */
const internal = new Set(['requirements.txt']);

/** Null when nothing has been released. A tag of HEAD itself is the release that is checked. */
export function tagBefore(): string | null {
  const tags = git('tag', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname', '--list', 'v*');
  return tags.split('\n')[0] || null;
}

/** Every pin at `tag` and now; a pin that was not there then is empty. */
export function pinsSince(tag: string): PinnedFile[] {
  const before = new Set(git('ls-tree', '--name-only', `${tag}:test/pins`).split('\n'));
  const now = readdirSync(path.join(root, 'test/pins'));
  const names = [...new Set([...before, ...now])].filter((name) => name !== '' && !internal.has(name)).sort();
  return names.map((name) => ({
    file: `test/pins/${name}`,
    before: before.has(name) ? git('show', `${tag}:test/pins/${name}`) : '',
    now: now.includes(name) ? readFileSync(path.join(root, 'test/pins', name), 'utf8') : '',
  }));
}
