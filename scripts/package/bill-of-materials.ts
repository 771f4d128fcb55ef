// What the npm package runs with, as CycloneDX: from npm's own list, with the packages that are built into the web UI.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../sources.ts';
import { type Fields, packageManifest } from './manifest.ts';

export interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
  scope?: string;
}

export interface BillOfMaterials {
  serialNumber: string;
  metadata: { timestamp?: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** What the sources of the web UI and its map import; a test holds this against them. They are built into `dist/web`. */
export const builtIntoTheWebUi: readonly string[] = [
  '@preact/signals',
  'd3-force',
  'd3-geo',
  'i18n-iso-countries',
  'preact',
  'topojson-client',
  'world-atlas',
];

/** `builtAt` is the instant of the commit, so that the same sources give the same bytes; without one there is no time. */
export function billOfMaterials(
  builtAt: string | undefined,
  manifest: Fields = packageManifest(),
  builtIn = builtIntoTheWebUi,
): BillOfMaterials {
  const all = npmList();
  const name = String(manifest.name);
  const { dependencies: needed, optionalDependencies } = manifest as Record<string, Record<string, string>>;
  const components = reachedFrom(all, [...Object.keys({ ...needed, ...optionalDependencies }), ...builtIn])
    .map(withoutDevelopment)
    .map(withLicence)
    .sort((a, b) => order(a['bom-ref'], b['bom-ref']));
  const known = new Set(components.map((component) => component['bom-ref']));
  const own = all.metadata.component;
  const ownRef = `${name}@${own.version}`;
  const toOwn = (ref: string) => (ref === own['bom-ref'] ? ownRef : ref);
  const dependencies = all.dependencies
    .filter(({ ref }) => known.has(ref) || ref === own['bom-ref'])
    .map(({ ref, dependsOn }) => ({
      ref: toOwn(ref),
      dependsOn: dependsOn.filter((one) => known.has(one)).sort(order),
    }))
    .sort((a, b) => order(a.ref, b.ref));
  const { timestamp: _, ...metadata } = all.metadata;
  // npm takes the name of the folder.
  const { description } = manifest;
  const facts = {
    'bom-ref': ownRef,
    purl: `pkg:npm/${ownRef}`,
    name,
    description,
    type: 'application',
    properties: [],
  };
  const component = { ...own, ...facts };
  const described = { ...(builtAt && { timestamp: builtAt }), ...metadata, component };
  const bom = { ...all, metadata: described, components, dependencies };
  return { ...bom, serialNumber: serialNumber(JSON.stringify({ ...bom, serialNumber: '' })) };
}

/** The licences of a component as SPDX expressions. */
export function listLicences({ licenses = [] }: Component): string[] {
  return licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'none');
}

/** Its `--omit=dev` leaves out what the programs and the development both need: everything, then. */
function npmList(): BillOfMaterials {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 });
  if (status !== 0) {
    throw new Error(`npm ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  }
  return JSON.parse(stdout) as BillOfMaterials;
}

/** What this package depends on by these names, and all that they depend on, in the order of the list. */
export function reachedFrom(bom: BillOfMaterials, names: readonly string[]): Component[] {
  const next = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const direct = new Set(next.get(bom.metadata.component['bom-ref']));
  const waiting = bom.components
    .filter((component) => direct.has(component['bom-ref']) && names.includes(component.name))
    .map((component) => component['bom-ref']);
  const reached = new Set<string>();
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (!reached.has(ref)) {
      reached.add(ref);
      waiting.push(...(next.get(ref) ?? []));
    }
  }
  return bom.components.filter((component) => reached.has(component['bom-ref']));
}

/** In the repository it is for development; in the package it is a part of the page. */
function withoutDevelopment(component: Component): Component {
  return { ...component, scope: 'required', ...('properties' in component && { properties: [] }) };
}

/** Old packages name their licences in another member, which the lock file does not hold. */
function withLicence(component: Component): Component {
  if (component.licenses !== undefined) {
    return component;
  }
  const file = path.join(root, 'node_modules', component.name, 'package.json');
  const { licenses = [] } = JSON.parse(readFileSync(file, 'utf8')) as { licenses?: { type: string }[] };
  return { ...component, licenses: licenses.map(({ type }) => ({ license: { id: type } })) };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A UUID of version 8 (RFC 9562) from the text. */
function serialNumber(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
