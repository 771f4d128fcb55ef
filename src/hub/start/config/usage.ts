// What `gatehouse config` and its commands print for --help.
import { dataOption } from '../../base/storage/commands/places.ts';

export const usage = `Usage: gatehouse config export [--secrets FILE] [--data DIR]
       gatehouse config diff FILE [--secrets FILE] [--data DIR]
       gatehouse config apply FILE [--secrets FILE] [--yes] [--data DIR]

The configuration of a hub as YAML, for git. Secrets are not in it: { secret: NAME } stands for one. Alert rules, notes,
devices, API identities, Agents, the password and tokens are not in it either.

Commands
  export   print every setting in a fixed order; the hub may run
  diff     show what FILE would change; the hub may run. Ends with 0 for nothing, 1 for a difference, 2 for a failure
  apply    show what FILE changes, ask, and save it; the hub must be stopped. What FILE leaves out stays, a list replaces
           the stored one. With any mistake in FILE nothing is changed

Options
  --secrets FILE  private file (mode 0600) of NAME: "value", a line each. export writes it; the others take secrets from
                  it, then from the variable GATEHOUSE_SECRET_NAME, then from what the hub has stored
  --yes           apply without asking
${dataOption}
  --help          this text
  --version       the version
`;
