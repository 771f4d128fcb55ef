// Composes `gatehouse agent`: the program and the sources that watch this machine.
import { agentProgram } from './command.ts';
import type { StartWatch } from './sources/watch.ts';

const noSources: StartWatch = () => Promise.reject(new Error('this version has no source of connections yet'));

/** The sources are plugged in here: `startWatch` of `./sources/start.ts`. */
const startWatch: StartWatch = noSources;

/** Resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export const runAgent = agentProgram(startWatch);
