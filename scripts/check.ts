// `npm run check`: format and lint (Biome), direction of imports, the description of the API (Redocly), types (tsc). Runs
// all four, fails if any does.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { architectureViolations } from './architecture.ts';
import { openApiViolations } from './openapi-lint.ts';
import { readSources, root } from './sources.ts';

const bin = path.join(root, 'node_modules/.bin');
const biome = spawnSync(path.join(bin, 'biome'), ['check', '--error-on-warnings', '.'], {
  cwd: root,
  stdio: 'inherit',
});
const violations = architectureViolations(readSources());
for (const violation of violations) {
  console.error(violation);
}
const description = openApiViolations('docs/openapi.json');
if (description !== '') {
  console.error(description);
}
/** The pages run in a browser: other globals, another module resolution. */
const types = ['tsconfig.json', 'src/web/tsconfig.json'].map(
  (project) => spawnSync(path.join(bin, 'tsc'), ['-p', project], { cwd: root, stdio: 'inherit' }).status,
);
const failed = [
  ...(biome.status === 0 ? [] : ['format and lint']),
  ...(violations.length === 0 ? [] : ['direction of imports']),
  ...(description === '' ? [] : ['description of the API']),
  ...(types.every((status) => status === 0) ? [] : ['types']),
];
console.log(failed.length === 0 ? 'check: all good' : `check: failed (${failed.join(', ')})`);
process.exitCode = failed.length === 0 ? 0 : 1;
