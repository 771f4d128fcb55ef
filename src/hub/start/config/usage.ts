// What the commands of `gatehouse config` print for --help.
import { dataOption } from '../../base/storage/commands/places.ts';

export const usage = `Usage: gatehouse config COMMAND [options]

The configuration of a hub as text, for git. Secrets are not in it: { secret: NAME } stands for one. It is about the
settings alone: alert rules, notes, devices, API identities, Agents, the password and tokens are not in it.

Commands
  export   print the configuration as YAML; the hub may run
  diff     show what a file would change; the hub may run
  apply    show it, then change the settings of a hub that is stopped: all of it or nothing

gatehouse config COMMAND --help describes a command.
`;

const common = `${dataOption}
  --help          this text
  --version       the version
`;

const secretsOption = `  --secrets FILE  private file (mode 0600) of NAME: VALUE, a line each. Without it, and for names that it does not
                  have: the variable GATEHOUSE_SECRET_NAME, then what the hub has stored`;

export const exportUsage = `Usage: gatehouse config export [--secrets FILE] [--data DIR]

Prints every setting in a fixed order, so that the same settings are always the same text.

Options
  --secrets FILE  also write the secrets into FILE, mode 0600: keep it out of git
${common}`;

export const diffUsage = `Usage: gatehouse config diff FILE [--secrets FILE] [--data DIR]

Shows what "gatehouse config apply FILE" would change. Ends with 0 for nothing, 1 for a difference, 2 for a failure.

Options
${secretsOption}
${common}`;

export const applyUsage = `Usage: gatehouse config apply FILE [--secrets FILE] [--yes] [--data DIR]

Shows what FILE changes, asks, and saves it. What FILE leaves out stays; a list replaces the stored one. With any mistake
in it nothing is changed. The hub must be stopped: the change holds from its next start.

Options
  --yes           do not ask
${secretsOption}
${common}`;
