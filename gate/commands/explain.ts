// `gatehouse gate explain`: every check, from the list the gate runs.
import { described } from '../checks.ts';
import { type Command, parseOptions } from './command.ts';

export const explainCommand: Command = {
  summary: 'every check: id, what it asks, category, what it needs, what to do when it fails',
  usage: `Usage: gatehouse gate explain [--json]

Prints every check in the order they are run.
`,
  run(argv) {
    const { values } = parseOptions(argv, { json: { type: 'boolean' } });
    process.stdout.write(values.json ? `${JSON.stringify(described, null, 2)}\n` : explained());
    return Promise.resolve(0);
  },
};

function explained(): string {
  return described
    .map(
      ({ id, asks, category, needs, remedy }) =>
        `${id}  (${category})\n    asks   ${asks}\n${needs.length > 0 ? `    needs  ${needs.join(', ')}\n` : ''}    fails  ${remedy}\n`,
    )
    .join('\n');
}
