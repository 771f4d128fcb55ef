// Holds the repository to the rows about its files in docs/reference/specification.md#design-card: language,
// packages, top level.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { verifies } from './support/verifies.ts';

const root = join(import.meta.dirname, '..');
const versions = z.record(z.string(), z.string());
const packageFile = z.object({ dependencies: versions, devDependencies: versions });

/** Names of the packages that package.json pins. */
function pinnedPackages(): string[] {
  const { dependencies, devDependencies } = packageFile.parse(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  );
  return Object.keys({ ...dependencies, ...devDependencies });
}

/** What the files of these folders, or the scripts of package.json, really use. */
const sources = ['src', 'simulators', 'gate', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8')),
);
const { scripts } = z.object({ scripts: versions }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** Each is pinned in package.json, and used. */
function areUsed(...names: readonly string[]): void {
  expect(pinnedPackages()).toEqual(expect.arrayContaining([...names]));
  const used = (name: string) =>
    sources.some((source) => new RegExp(`(?:from|import\\() ?'${name}(?:/[^']*)?'`).test(source)) ||
    Object.values(scripts).some((script) => script.includes(`--run ${name} `));
  expect(names.filter((name) => !used(name))).toEqual([]);
}

verifies('card.packages.fastify card.packages.better-sqlite3 card.packages.undici', 'what the hub stands on', () =>
  areUsed('fastify', 'better-sqlite3', 'undici'),
);
verifies('card.packages.jose card.packages.oidc-provider card.packages.mcp-sdk', 'what proves and asks who it is', () =>
  areUsed('jose', 'oidc-provider', '@modelcontextprotocol/server', '@modelcontextprotocol/sdk'),
);
verifies('card.packages.mqtt card.packages.aedes', 'both ends of MQTT', () => areUsed('mqtt', 'aedes'));
verifies('card.packages.vitest card.packages.tsx', 'what runs tests and sources', () => areUsed('vitest', 'tsx'));

verifies(
  'card.packages.testcontainers',
  'a folder of its own pins testcontainers, and the suites there run on it',
  () => {
    const folder = join(root, 'test/containers');
    const { devDependencies } = z
      .object({ devDependencies: versions })
      .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    expect(devDependencies.testcontainers).toMatch(/^\d+\.\d+\.\d+$/);
    expect(pinnedPackages()).not.toContain('testcontainers');
    expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
    const suites = readdirSync(folder).filter((file) => file.endsWith('.container.ts'));
    const unused = suites.filter((file) => !/from 'testcontainers'/.test(readFileSync(join(folder, file), 'utf8')));
    expect([suites.length > 2, unused]).toEqual([true, []]);
    expect(scripts['test:containers']).toContain('test/containers/main.ts');
  },
);

verifies('card.layout.present', 'the top level is the one of the card', () => {
  expect(readdirSync(root)).toEqual(
    expect.arrayContaining(['package.json', 'src', 'simulators', 'fixtures', 'test', 'tsconfig.json']),
  );
});

verifies('card.layout.gate', 'the gate lies at the top level, and the command runs what lies there', () => {
  expect(readdirSync(join(root, 'gate'))).toEqual(expect.arrayContaining(['main.ts', 'run.ts']));
  expect(readFileSync(join(root, 'src/main.ts'), 'utf8')).toContain("import('#gate/main.ts')");
});

verifies('card.language.typescript', 'the programs, simulators and tests are written in TypeScript only', () => {
  const files = ['src', 'simulators', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => !file.includes('node_modules'));
  const ours = files.filter((file) => !file.includes('/node_modules/'));
  expect(ours.filter((file) => /\.[cm]?jsx?$/.test(file))).toEqual([]);
  expect(files.filter((file) => file.endsWith('.ts')).length).toBeGreaterThan(20);
});
