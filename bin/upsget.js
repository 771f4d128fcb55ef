#!/usr/bin/env node
// The `upsget` command: finds a Node that can run the program, then hands everything to src/upsget/main.ts.
process.argv.splice(2, 0, 'src/upsget/main.ts');
await import('../scripts/launch.mjs');
