#!/usr/bin/env node
// The `upsget` command: on a Node that can run it the program itself, else scripts/launch.mjs to find one. Installs nothing.
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // The words may hold a password: from here on the process list shows the name alone.
  process.title = 'upsget';
  const { HOME, XDG_CACHE_HOME } = process.env;
  const home = XDG_CACHE_HOME || HOME;
  if (home && existsSync(home)) {
    // Compiled once, in the user's own folder: to read the TypeScript anew takes longer than to read the UPS.
    module.enableCompileCache(path.join(XDG_CACHE_HOME || path.join(home, '.cache'), 'upsget'));
  }
  await import('../src/upsget/main.ts');
} else {
  process.argv.splice(2, 0, '--no-install', 'src/upsget/main.ts');
  await import('../scripts/launch.mjs');
}
