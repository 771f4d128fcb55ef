// `gatehouse gate explain`: prints every check, and the mistakes that it finds.
import { type CheckDescription, checkDescriptions } from '../checks.ts';
import { GateError } from '../private-file.ts';
import { unseen } from '../unseen.ts';
import { type Command, parseOptions } from './command.ts';

export const explainCommand: Command = {
  summary: 'print each check: what it asks, what it needs, what to do when it fails, which mistakes it finds',
  usage: `Usage: gatehouse gate explain [CHECK …] [--json]

Prints the named checks, or all checks in the order they run, with the mistakes that each finds; after all of them, what no
run can find.
`,
  run(argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, 'any');
    const asked = positionals.length === 0 ? checkDescriptions : positionals.map(findCheck);
    const end = positionals.length === 0 ? `\nNo run can find:\n${indentLines(unseen)}` : '';
    process.stdout.write(values.json ? `${JSON.stringify(asked, null, 2)}\n` : formatChecks(asked) + end);
    return Promise.resolve(0);
  },
};

function findCheck(id: string): CheckDescription {
  const check = checkDescriptions.find((one) => one.id === id);
  if (!check) {
    throw new GateError(`there is no check ${JSON.stringify(id)}: gatehouse gate explain lists them all`);
  }
  return check;
}

function formatChecks(checks: readonly CheckDescription[]): string {
  return checks
    .map(({ id, asks, category, needs, remedy, finds }) =>
      [
        `${id}  (${category})`,
        `    asks   ${asks}`,
        ...(needs.length > 0 ? [`    needs  ${needs.join(', ')}`] : []),
        `    fails  ${remedy}`,
        ...finds.map((sentence, index) => `    ${index === 0 ? 'finds ' : '      '} ${sentence}`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function indentLines(sentences: readonly string[]): string {
  return sentences.map((sentence) => `    ${sentence}\n`).join('');
}
