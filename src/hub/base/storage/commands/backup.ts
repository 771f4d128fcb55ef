// `gatehouse backup`: what the API does with backups, for a hub that is stopped.
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runCreate } from './create.ts';
import { runList } from './list.ts';
import { runRestore } from './restore.ts';
import { runVerify } from './verify.ts';

const usage = `Usage: gatehouse backup COMMAND [options]

Backups of the hub's database: the same generations that the web page shows. A running hub makes and restores them itself
(POST /api/backup/create, /restore); list and verify also work while it runs.

Commands
  create   make a backup and verify it
  list     the generations, and the room on their disk
  verify   compare generations with what they were when they were made
  restore  replace the database by a generation or a file

gatehouse backup COMMAND --help describes a command.
`;

const commands = { create: runCreate, list: runList, verify: runVerify, restore: runRestore };

/** Resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export function runBackup(argv: readonly string[]): Promise<number> {
  return runCommandGroup(argv, { name: 'gatehouse backup', usage, commands });
}
