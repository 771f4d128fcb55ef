#!/usr/bin/env node
// The `gatehouse` command: finds a Node that can run the program, then hands everything to src/main.ts.
process.argv.splice(2, 0, 'src/main.ts');
await import('../scripts/launch.mjs');
