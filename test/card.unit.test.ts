// Holds the repository to the rows of the design card that are about its files: language, packages, top level.
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

verifies(
  'card.packages.fastify card.packages.better-sqlite3 card.packages.undici card.packages.vitest card.packages.tsx card.packages.jose card.packages.oidc-provider card.packages.mcp-sdk card.packages.mqtt card.packages.aedes',
  'the packages of the card are pinned',
  () => {
    const named = ['fastify', 'better-sqlite3', 'undici', 'vitest', 'tsx', 'jose', 'oidc-provider', 'mqtt', 'aedes'];
    const sdk = ['@modelcontextprotocol/server', '@modelcontextprotocol/sdk'];
    expect(pinnedPackages()).toEqual(expect.arrayContaining([...named, ...sdk]));
  },
);

verifies('card.layout.present', 'the top level is the one of the card', () => {
  expect(readdirSync(root)).toEqual(
    expect.arrayContaining(['package.json', 'src', 'simulators', 'fixtures', 'test', 'tsconfig.json']),
  );
});

verifies('card.language.typescript', 'the programs, simulators and tests are written in TypeScript only', () => {
  const files = ['src', 'simulators', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  expect(files.filter((file) => /\.[cm]?jsx?$/.test(file))).toEqual([]);
  expect(files.filter((file) => file.endsWith('.ts')).length).toBeGreaterThan(20);
});
