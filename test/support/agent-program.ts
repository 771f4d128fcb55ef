// `gatehouse agent` with a watch that makes connections up: what the file AGENT_TEST_SEEN says, a few at each take.
import { readFileSync } from 'node:fs';
import { agentProgram } from '#agent/command.ts';
import { countingWatch } from './made-up-watch.ts';

const perTake = () => {
  try {
    return Number(readFileSync(process.env.AGENT_TEST_SEEN ?? '', 'utf8'));
  } catch {
    return 0;
  }
};

process.exitCode = await agentProgram(async () => countingWatch(perTake))(process.argv.slice(2));
