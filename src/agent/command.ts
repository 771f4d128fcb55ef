// `gatehouse agent`: one word picks what it does.
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runRevoke, runRotate } from './credential-commands.ts';
import { runEnroll } from './enrolment/enroll-command.ts';
import { runAgentWith } from './run-command.ts';
import type { StartWatch } from './sources/watch.ts';
import { runStatus } from './status/status-command.ts';

const usage = `Usage: gatehouse agent COMMAND [options]

Tells the hub which program of this machine connects where.

Commands
  enroll  apply to a hub, wait for the approval, store the bearer
  run     watch the connections of this machine and deliver them
  status  how this Agent is, and what needs somebody
  rotate  replace the bearer
  revoke  end the registration at the hub, delete the bearer

gatehouse agent COMMAND --help describes a command.
`;

/** The program with a watch; it resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export function agentProgram(startWatch: StartWatch): (argv: readonly string[]) => Promise<number> {
  const commands: Record<string, (argv: readonly string[]) => Promise<number>> = {
    enroll: runEnroll,
    run: runAgentWith(startWatch),
    status: runStatus,
    rotate: runRotate,
    revoke: runRevoke,
  };
  return (argv) => runCommandGroup(argv, { name: 'gatehouse agent', usage, commands });
}
