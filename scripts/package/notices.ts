// The licences of what is built into the web UI, as they ask for.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../sources.ts';

/** A Markdown text. Throws when a package is not installed in this version, or has no licence file. */
export function formatNotices(packages: readonly { name: string; version: string }[]): string {
  const parts = packages.map(({ name, version }) => {
    const folder = installed(name, version);
    const [file] = globSync('{LICENSE,LICENCE,COPYING}*', { cwd: folder }).sort();
    if (file === undefined) {
      throw new Error(`${name} has no licence file: the package may not be given away without it`);
    }
    return `## ${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
  const head =
    '# Notices\n\nThe page in `dist/web` contains these packages or what was made from their data, or they belong to those.\n';
  return [head, ...parts].join('\n');
}

function installed(name: string, version: string): string {
  const folders = globSync([`node_modules/${name}`, `node_modules/{*,@*/*}/node_modules/${name}`], { cwd: root });
  const found = folders.find((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as { version: string };
    return manifest.version === version;
  });
  if (found === undefined) {
    throw new Error(`${name} ${version} is not installed: run "npm ci"`);
  }
  return path.join(root, found);
}
