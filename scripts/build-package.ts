// `npm run build:package`: the npm packages, as the folders `package` and `package-simulators` and their tarballs, below dist/
// (`--out DIR`: elsewhere). The same commit gives the same bytes, with the same Node and npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommit } from '#kernel/process/commit.ts';
import { childEnv } from '#kernel/process/env.ts';
import { type BillOfMaterials, billOfMaterials, builtIntoTheWebUi, reachedFrom } from './package/bill-of-materials.ts';
import { type Content, packageContents } from './package/contents.ts';
import { toJavaScript } from './package/javascript.ts';
import { type Fields, packageLock, packageManifest } from './package/manifest.ts';
import { missingFiles } from './package/missing-files.ts';
import { formatNotices } from './package/notices.ts';
import { entries, followImports, simulatorContents, simulatorManifest, toDeclaration } from './package/simulators.ts';
import { root } from './sources.ts';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = path.resolve(values.out ?? path.join(root, 'dist'));
const commit = buildCommit(undefined, root);
const builtAt = commit === null ? undefined : run('git', ['show', '-s', '--format=%cI', commit]).trim();

buildProduct(path.join(out, 'package'));
buildSimulators(path.join(out, 'package-simulators'));

/** The tarball `gatehouse`. */
function buildProduct(folder: string): void {
  putContents(folder, packageContents());
  run(process.execPath, [path.join(root, 'scripts/build-web.ts'), '--out', path.join(folder, 'dist/web')]);
  for (const file of readdirSync(path.join(folder, 'dist/web'), { recursive: true, withFileTypes: true })) {
    chmodSync(path.join(file.parentPath, file.name), file.isDirectory() ? 0o755 : 0o644);
  }
  const manifest = packageManifest();
  const bom = billOfMaterials(builtAt, manifest);
  put(folder, 'npm-shrinkwrap.json', json(packageLock()));
  put(folder, 'NOTICES.md', formatNotices(reachedFrom(bom, builtIntoTheWebUi)));
  pack(folder, manifest, bom);
}

/** The tarball `gatehouse-simulators`, with declarations of what its entries export. */
function buildSimulators(folder: string): void {
  putContents(folder, simulatorContents());
  const emitted = mkdtempSync(path.join(tmpdir(), 'gatehouse-declarations-'));
  try {
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    run(process.execPath, [compiler, '-p', path.join(root, 'packaging/npm-simulators'), '--outDir', emitted]);
    const { files } = followImports(
      Object.values(entries).map((entry) => `${entry}.d.ts`),
      emitted,
      '.d.ts',
    );
    for (const file of files) {
      put(folder, file, toDeclaration(readFileSync(path.join(emitted, file), 'utf8')));
    }
    const manifest = simulatorManifest();
    pack(folder, manifest, billOfMaterials(builtAt, manifest, []));
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

function putContents(folder: string, contents: readonly Content[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { source, target, isProgram } of contents) {
    const bytes = readFileSync(path.join(root, source));
    put(folder, target, isProgram ? toJavaScript(source, bytes.toString('utf8')) : bytes);
  }
  if (commit !== null) {
    put(folder, 'COMMIT', `${commit}\n`);
  }
}

/** Makes the tarball beside the folder, and says its size and digest. Throws for a file that is named and not there. */
function pack(folder: string, manifest: Fields, bom: BillOfMaterials): void {
  put(folder, 'package.json', json(manifest));
  put(folder, 'sbom.json', json(bom));
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
}

/** Modes belong to the archive too: those of the umask would differ. */
function put(folder: string, target: string, content: string | Uint8Array): void {
  const file = path.join(folder, target);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, /^bin\/(?:gatehouse|gatehouse-simulators|upsget)\.js$/.test(target) ? 0o755 : 0o644);
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
