// `gatehouse gate template`: writes an evidence file in which every item fails.
import { isThere, writeJson } from '#kernel/files/files.ts';
import { profiles } from '../evidence/context.ts';
import { evidenceTemplate } from '../evidence/template.ts';
import { type Command, parseOptions, UsageError } from './command.ts';

export const templateCommand: Command = {
  summary: 'write an evidence file v3 in which every item fails',
  usage: `Usage: gatehouse gate template [--profile strict|cloud_idp] [--commit SHA] [--out FILE]

Options
  --profile NAME  the profile, which determines the items (strict)
  --commit SHA    the deployed commit, 40 hexadecimal digits
  --out FILE      writes to FILE, mode 0600, instead of stdout; never overwrites a file
`,
  run(argv) {
    const { values } = parseOptions(argv, {
      profile: { type: 'string', default: 'strict' },
      commit: { type: 'string', default: '' },
      out: { type: 'string' },
    });
    const profile = profiles.find((name) => name === values.profile);
    if (!profile) {
      throw new UsageError(`--profile must be ${profiles.join(' or ')}, not "${values.profile}"`);
    }
    if (!/^(?:[0-9a-f]{40})?$/.test(values.commit)) {
      throw new UsageError('--commit must be 40 hexadecimal digits in lower case');
    }
    const document = evidenceTemplate(profile, values.commit);
    if (values.out === undefined) {
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    } else if (isThere(values.out)) {
      throw new UsageError(`${values.out} exists: name another file`);
    } else {
      writeJson(values.out, document);
    }
    return Promise.resolve(0);
  },
};
