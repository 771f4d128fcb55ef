// `npm run release:check`: everything that must hold before a version is given away, and the files to give away.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readPrivateFile } from '#gate/private-file.ts';
import { signFile, toSignaturePath } from '#gate/signature.ts';
import { messageOf } from '#kernel/errors.ts';
import { buildCommit } from '#kernel/process/commit.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { BillOfMaterials } from './package/bill-of-materials.ts';
import { pinsSince, tagBefore } from './release/before.ts';
import { changelogFaults, parseSections, unnamedChanges } from './release/changelog.ts';
import { install, startSimulator, useHub } from './release/installed.ts';
import { git, runForOutput } from './release/program.ts';
import { root } from './sources.ts';

const usage = `Usage: npm run release:check [-- --key FILE] [--out DIR]

Checks that this commit can be released: version and CHANGELOG.md, the pins against the release before, two builds with
the same bytes, both tarballs installed in an empty folder and used, the bill of materials. Writes the tarballs, their
SHA-256 and the bill of materials; with a key also the signatures (verify them: gatehouse gate verify-release).

Options
  --key FILE  the private key of releases (gatehouse gate keygen --out FILE)
  --out DIR   where the files go (dist/release)
  --help      this text

Exit code: 0 when all of it holds, 1 at the first thing that does not, 2 for wrong arguments.
`;

const version = packageVersion();
const product = `gatehouse-${version}.tgz`;
const simulators = `gatehouse-simulators-${version}.tgz`;
const tarballs = [product, simulators];

async function check(key: string | undefined, out: string): Promise<void> {
  const privateKey = key === undefined ? undefined : readPrivateFile(key, 'the signing key');
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-release-'));
  const at = (...names: string[]) => path.join(folder, ...names);
  const bytesOf = (build: string, tarball: string) => readFileSync(at(build, tarball));
  try {
    await step('the commit has no changes beside it', requireCommitted);
    await step(`version ${version} and CHANGELOG.md`, requireVersion);
    await step('CHANGELOG.md names what changed in the pins', requireNamedChanges);
    await step('build', () => build(at('first')));
    await step('a second build has the same bytes', () => {
      const umask = process.umask(0o077);
      build(at('second'));
      process.umask(umask);
      const differing = tarballs.find((tarball) => !bytesOf('first', tarball).equals(bytesOf('second', tarball)));
      if (differing !== undefined) {
        throw new Error(`two builds of this commit differ: something in ${differing} depends on more than the commit`);
      }
    });
    await step('the tarball installs in an empty folder, its hub serves the page, reads and writes', async () => {
      install(at('first', product), at('installed'));
      await useHub(at('installed/node_modules/gatehouse'), at('data'));
    });
    await step('the tarball of the simulators installs in an empty folder, a router starts and ends', () => {
      install(at('first', simulators), at('installed-simulators'));
      startSimulator(at('installed-simulators'));
    });
    const bom = at('installed/node_modules/gatehouse/sbom.json');
    await step('the bill of materials is of this version', () => requireBillOfMaterials(bom));
    mkdirSync(out, { recursive: true });
    copyFileSync(bom, path.join(out, 'sbom.json'));
    for (const tarball of tarballs) {
      release(path.join(out, tarball), bytesOf('first', tarball), privateKey);
    }
    if (privateKey === undefined) {
      console.log('not signed: name the key of releases with --key FILE');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a tarball with its digest and, where there is a key, its signature; an older signature is removed. */
function release(target: string, content: Buffer, privateKey: string | undefined): void {
  const tarball = path.basename(target);
  writeFileSync(target, content);
  writeFileSync(`${target}.sha256`, `${sha256(content)}  ${tarball}\n`);
  rmSync(toSignaturePath(target), { force: true });
  if (privateKey !== undefined) {
    const facts = { tool: 'gatehouse', version, commit: buildCommit(undefined, root), node: process.version };
    const envelope = signFile(privateKey, 'release', tarball, content, facts);
    writeFileSync(toSignaturePath(target), `${JSON.stringify(envelope, null, 2)}\n`);
  }
  console.log(`${target}\nsha256 ${sha256(content)}`);
}

async function step(what: string, run: () => unknown): Promise<void> {
  const startedAt = systemClock.now();
  process.stdout.write(`${what} … `);
  await run();
  process.stdout.write(`ok, ${((systemClock.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function requireCommitted(): void {
  const changed = git('status', '--porcelain').trim();
  if (changed !== '') {
    throw new Error(`commit or remove these first:\n${changed}`);
  }
}

function requireVersion(): void {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { version: string };
  if (lock.version !== version) {
    throw new Error(`package-lock.json says ${lock.version}, package.json ${version}: run npm version`);
  }
  const tagged = git('tag', '--list', `v${version}`).trim() !== '' && git('rev-list', '-1', `v${version}`).trim();
  if (tagged && tagged !== git('rev-parse', 'HEAD').trim()) {
    throw new Error(`v${version} is the tag of another commit, ${tagged}: choose the next version`);
  }
  refuse(changelogFaults(changelog(), version));
}

function requireNamedChanges(): void {
  const tag = tagBefore();
  if (tag === null) {
    process.stdout.write('no release before, nothing to compare … ');
    return;
  }
  const section = parseSections(changelog()).find(({ name }) => name === version);
  refuse(unnamedChanges(pinsSince(tag), section?.text ?? ''));
}

function requireBillOfMaterials(file: string): void {
  const { metadata, components } = JSON.parse(readFileSync(file, 'utf8')) as BillOfMaterials;
  if (metadata.component.version !== version || components.length === 0) {
    throw new Error(`${file} is of version ${metadata.component.version}, with ${components.length} components`);
  }
}

function build(out: string): void {
  runForOutput(process.execPath, ['scripts/build-package.ts', '--out', out]);
}

function changelog(): string {
  return readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) {
    throw new Error(faults.join('\n'));
  }
}

const options = { key: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } } as const;
try {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
  } else {
    await check(values.key, path.resolve(values.out ?? path.join(root, 'dist/release')));
  }
} catch (error) {
  const isUsage = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`\nrelease:check: ${messageOf(error)}${isUsage ? ' (see --help)' : ''}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
