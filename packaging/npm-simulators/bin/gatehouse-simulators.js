#!/usr/bin/env node
// The `gatehouse-simulators` command: says which Node it needs, or runs on this one.
import { launch, runsHere } from './launch.js';

if (runsHere) {
  await launch('simulators/npx.ts', process.argv.slice(2));
} else {
  console.error(
    `gatehouse-simulators needs Node.js 24 or newer; this is ${process.version}: install it and run this again.`,
  );
  process.exitCode = 78;
}
