// `npm run pins`: rewrites every pinned surface; the diff is the review.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './sources.ts';
import { surfaces } from './surface.ts';

for (const [file, content] of Object.entries(surfaces())) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
  console.log(`wrote ${file}`);
}
