#!/usr/bin/env node
// The `gatehouse` command of the installed package: finds a Node that can run the program, then hands everything to it.
import { launch } from './launch.js';

await launch('src/main.ts', process.argv.slice(2));
