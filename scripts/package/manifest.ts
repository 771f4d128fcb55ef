// package.json and npm-shrinkwrap.json of the npm package, from those of the checkout.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../sources.ts';
import { filesField } from './contents.ts';

export type Fields = Record<string, unknown>;

interface Checkout {
  imports: Record<string, string>;
  [field: string]: unknown;
}

interface Lock {
  lockfileVersion: number;
  packages: Record<string, Fields & { dev?: boolean }>;
}

export const readJson = <T>(file: string): T => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as T;

const taken = ['name', 'version', 'description', 'license', 'type', 'bin', 'dependencies', 'optionalDependencies'];

/** No scripts and nothing for development. The launcher runs on Node 20 and finds the newer one. */
export function packageManifest(): Fields {
  const checkout = readJson<Checkout>('package.json');
  const imports = Object.entries(checkout.imports).filter(([name]) => name !== '#simulators/*');
  return {
    ...Object.fromEntries(taken.map((field) => [field, checkout[field]])),
    engines: { node: '>=20' },
    imports: { ...Object.fromEntries(imports), '#simulators/main.js': './simulators/main.js' },
    files: filesField,
  };
}

/** The versions with which the tests ran: npm installs these, and nothing newer. */
export function packageLock(): Fields {
  const { lockfileVersion, packages } = readJson<Lock>('package-lock.json');
  const { name, version, license, bin, engines, dependencies, optionalDependencies } = packageManifest();
  const kept = Object.entries(packages).filter(([folder, entry]) => folder !== '' && entry.dev !== true);
  const own = { name, version, license, bin, engines, dependencies, optionalDependencies };
  return { name, version, lockfileVersion, requires: true, packages: { '': own, ...Object.fromEntries(kept) } };
}
