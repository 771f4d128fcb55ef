#!/usr/bin/env node
// The `upsget` command: on a Node that can run it the program itself, else bin/launch.js to find one. Installs nothing.
import module from 'node:module';
import { compiledFolder } from './compiled.js';

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // The words may hold a password: from here on the process list shows the name alone.
  process.title = 'upsget';
  // Compiled once, in the user's own folder: to read the TypeScript anew takes longer than to read the UPS.
  const folder = compiledFolder('upsget');
  if (folder !== null) {
    module.enableCompileCache(folder);
  }
  await import('../src/upsget/main.ts');
} else {
  const { launch } = await import('./launch.js');
  await launch('src/upsget/main.ts', process.argv.slice(2));
}
