// Composes `gatehouse agent`: the program and the sources that watch this machine.
import { agentProgram } from './command.ts';
import { startWatch } from './sources/watch.ts';

/** Resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export const runAgent = agentProgram(startWatch);
