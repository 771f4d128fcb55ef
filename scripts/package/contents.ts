// What is in the npm package: nothing that is not named here.
import { globSync } from 'node:fs';
import { root } from '../sources.ts';

/** Becomes JavaScript at the same place with another ending. */
const programs = ['src/**/*.ts', 'gate/**/*.ts', 'bin/{compiled,launch,upsget}.js'];
/** Taken as it is. */
const assets = [
  'src/hub/base/migrations/*.sql',
  'src/mcp/migrations/*.sql',
  'src/hub/identify/enrichment/embedded/enrichment.bin.zst',
  'src/hub/identify/enrichment/embedded/LICENCES.md',
  'src/hub/analyse/ai/pricing/catalog.json',
  'gate/finds.json',
  'packaging/gatehouse-{hub,mcp,agent}.service',
  'packaging/monitoring/gatehouse-{dashboard.json,alerts.yaml}',
  'docs/{agent,ai,alerts,backup,blocking,gate,hub,mcp,metrics,operations,run,scale,upgrade,upsget}.md',
  'docs/{quick-start-vendor-a,quick-start-vendor-b,troubleshooting-routers}.md',
  'docs/nginx.conf',
  'docs/openapi.json',
  'LICENSE',
  'CHANGELOG.md',
];
/** The web UI is built; programs of the checkout only are left out. */
const others = /^src\/web\//;

/** Source in the checkout → place in the package, where that is another. */
const placed: Readonly<Record<string, string>> = {
  'packaging/npm/bin/gatehouse.js': 'bin/gatehouse.js',
  'packaging/npm/without-simulators.ts': 'simulators/main.ts',
  'packaging/npm/README.md': 'README.md',
};

export interface Content {
  /** Path in the checkout. */
  source: string;
  /** Path in the package. */
  target: string;
  isProgram: boolean;
}

/** In the order of their names. Throws for an asset that is missing. */
export function packageContents(): Content[] {
  return toContents([...programs, ...assets], placed);
}

/** The files of the checkout that `patterns` find, at their places, and those of `moved`. Throws for a pattern that finds none. */
export function toContents(patterns: readonly string[], moved: Readonly<Record<string, string>>): Content[] {
  const taken = patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).filter((file) => !others.test(file));
    if (files.length === 0) {
      throw new Error(`nothing in the checkout is called ${pattern}: mend the lists in scripts/package`);
    }
    return files.map((file) => [file, file] as const);
  });
  return [...taken, ...Object.entries(moved)]
    .map(([source, target]) => ({
      source,
      target: target.replace(/\.ts$/, '.js'),
      isProgram: /\.[jt]s$/.test(target),
    }))
    .sort((a, b) => (a.target < b.target ? -1 : 1));
}

/** The `files` of its package.json; README, LICENSE and package.json itself are always in. */
export const filesField: readonly string[] = [
  'bin',
  'src',
  'gate',
  'simulators/main.js',
  'dist/web',
  'docs',
  'packaging/*.service',
  'packaging/monitoring',
  'CHANGELOG.md',
  'NOTICES.md',
  'COMMIT',
  'sbom.json',
  'npm-shrinkwrap.json',
];
