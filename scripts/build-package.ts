// `npm run build:package`: the npm package, as a folder `package` and the tarball beside it, below dist/ (`--out DIR`:
// elsewhere). The same commit gives the same bytes, with the same Node and npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommit } from '#kernel/process/commit.ts';
import { childEnv } from '#kernel/process/env.ts';
import { billOfMaterials, builtIntoTheWebUi, reachedFrom } from './package/bill-of-materials.ts';
import { packageContents } from './package/contents.ts';
import { toJavaScript } from './package/javascript.ts';
import { packageLock, packageManifest } from './package/manifest.ts';
import { missingFiles } from './package/missing-files.ts';
import { formatNotices } from './package/notices.ts';
import { root } from './sources.ts';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = path.resolve(values.out ?? path.join(root, 'dist'));
const folder = path.join(out, 'package');
rmSync(folder, { recursive: true, force: true });

for (const { source, target, isProgram } of packageContents()) {
  const bytes = readFileSync(path.join(root, source));
  put(target, isProgram ? toJavaScript(source, bytes.toString('utf8')) : bytes);
}
run(process.execPath, [path.join(root, 'scripts/build-web.ts'), '--out', path.join(folder, 'dist/web')]);
for (const file of readdirSync(path.join(folder, 'dist/web'), { recursive: true, withFileTypes: true })) {
  chmodSync(path.join(file.parentPath, file.name), file.isDirectory() ? 0o755 : 0o644);
}
const commit = buildCommit(undefined, root);
if (commit !== null) {
  put('COMMIT', `${commit}\n`);
}
const bom = billOfMaterials(commit === null ? undefined : run('git', ['show', '-s', '--format=%cI', commit]).trim());
put('package.json', json(packageManifest()));
put('npm-shrinkwrap.json', json(packageLock()));
put('sbom.json', json(bom));
put('NOTICES.md', formatNotices(reachedFrom(bom, builtIntoTheWebUi)));

const missing = missingFiles(folder);
if (missing.length > 0) {
  throw new Error(missing.join('\n'));
}

const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', out], folder)) as [
  { filename: string; size: number; unpackedSize: number; entryCount: number },
];
const tarball = path.join(out, packed.filename);
const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
console.log(`${tarball}\n${packed.size} bytes, ${packed.entryCount} files of ${packed.unpackedSize} bytes`);
console.log(`sha256 ${digest}`);

/** Modes belong to the archive too: those of the umask would differ. */
function put(target: string, content: string | Uint8Array): void {
  const file = path.join(folder, target);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, /^bin\/(?:gatehouse|upsget)\.js$/.test(target) ? 0o755 : 0o644);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What it printed. Throws with its own words when it fails. The build is that of a user, whatever called it. */
function run(command: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: childEnv({ NODE_ENV: 'production' }),
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr + stdout}`);
  }
  return stdout;
}
