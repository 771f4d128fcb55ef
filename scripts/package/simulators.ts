// The second npm package, `gatehouse-simulators`: what its entries import, and no list by hand.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findImports } from '../architecture.ts';
import { root } from '../sources.ts';
import { type Content, toContents } from './contents.ts';
import { type Fields, readJson } from './manifest.ts';

/** What users import, by the name behind that of the package. */
export const entries = {
  '.': 'simulators/index',
  './testcontainers': 'simulators/testcontainers',
  './vitest': 'simulators/vitest',
};
const program = 'simulators/npx.ts';
const launcher = ['bin/{compiled,launch}.js'];
/** The fixtures are pages that `--version` and `--pages` serve; the scenarios are those of `lab --list`. */
const assets = [
  'fixtures/ups/*/*.html',
  'fixtures/ups/README.md',
  'simulators/scenarios/*.{yaml,json}',
  'LICENSE',
  'CHANGELOG.md',
];
const moved = {
  'packaging/npm-simulators/bin/gatehouse-simulators.js': 'bin/gatehouse-simulators.js',
  'packaging/npm-simulators/README.md': 'README.md',
  'examples/compose/Containerfile': 'Containerfile',
};

interface Reached {
  /** Paths from the folder of the package. */
  files: string[];
  /** Names of packages. */
  packages: Set<string>;
}

/** What the files in `folder` import, of themselves and through others. `ending` is that of a file that an import names. */
export function followImports(from: readonly string[], folder: string, ending: '.ts' | '.d.ts'): Reached {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [...from];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) {
      continue;
    }
    files.add(file);
    for (const { specifier } of findImports(readFileSync(path.join(folder, file), 'utf8'))) {
      const own = specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : areaFile(specifier);
      if (own !== null) {
        waiting.push(own.replace(/\.ts$/, ending));
      } else if (!specifier.startsWith('node:')) {
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
      }
    }
  }
  return { files: [...files].sort(), packages };
}

function areaFile(specifier: string): string | null {
  return /^#(?:kernel|capture)\//.test(specifier) ? specifier.replace('#', 'src/') : null;
}

const programs = () => followImports([...Object.values(entries).map((entry) => `${entry}.ts`), program], root, '.ts');

export function simulatorContents(): Content[] {
  return toContents([...programs().files, ...launcher, ...assets], moved);
}

/** Dependencies are what the programs import, in the versions of our tests; the peers are those of the user. */
export function simulatorManifest(): Fields {
  const checkout = readJson<Record<string, Record<string, string>>>('package.json');
  const { version, license, type, engines } = checkout;
  const containers = readJson<Record<string, Record<string, string>>>('test/containers/package.json');
  const versions = { ...containers.devDependencies, ...checkout.devDependencies, ...checkout.dependencies };
  const peers = {
    // 12.0 has no policy that never pulls an image.
    testcontainers: `>=${versions.testcontainers}`,
    vitest: `>=${versions.vitest?.split('.')[0]}`,
  };
  const needed = [...programs().packages].filter((name) => !(name in peers)).sort();
  return {
    name: 'gatehouse-simulators',
    version,
    description: 'Routers, a UPS, an OIDC issuer, a broker and other servers for tests, with faults, as real servers.',
    license,
    type,
    engines,
    bin: { 'gatehouse-simulators': 'bin/gatehouse-simulators.js' },
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [name, { types: `./${entry}.d.ts`, default: `./${entry}.js` }]),
      ),
      './package.json': './package.json',
    },
    imports: { '#kernel/*': './src/kernel/*', '#capture/*': './src/capture/*' },
    dependencies: {
      ...Object.fromEntries(needed.map((name) => [name, versions[name]])),
      // Any version: declarations of Node are those of the user's project.
      '@types/node': '*',
    },
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
    files: ['bin', 'src', 'simulators', 'fixtures', 'CHANGELOG.md', 'Containerfile', 'COMMIT', 'sbom.json'],
  };
}

/** The text of a declaration with the names of the files in the package. */
export function toDeclaration(text: string): string {
  return text.replace(/((?:from |import\()['"])([.#][^'"]*)\.ts(?=['"])/g, '$1$2.js');
}
