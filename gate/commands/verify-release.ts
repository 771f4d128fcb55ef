// `gatehouse gate verify-release`: verifies the signature of an npm package of Gatehouse.
import path from 'node:path';
import { sha256 } from '#kernel/text/digest.ts';
import { parseJson } from '#kernel/text/json.ts';
import { readPublicBytes, readPublicFile } from '../private-file.ts';
import { readFacts, signatureFault, toSignaturePath } from '../signature.ts';
import { type Command, parseOptions, requireOption } from './command.ts';

const mostBytes = 268_435_456;

export const verifyReleaseCommand: Command = {
  summary: 'verify the signature of a released package',
  usage: `Usage: gatehouse gate verify-release FILE --key PUBLIC-KEY [--commit SHA]

Verifies FILE.dsse.json over FILE (gatehouse-VERSION.tgz), and prints version, commit and SHA-256.

Options
  --key FILE     the public key of whoever released it; take it from another place than the package
  --commit SHA   the commit it must have been built from

Exit code: 0 when the signature is valid, 1 when it is not (the reason is printed), 2 when a file cannot be read.
`,
  run(argv) {
    const { values, positionals } = parseOptions(argv, { key: { type: 'string' }, commit: { type: 'string' } }, 1);
    const [file = ''] = positionals;
    const key = readPublicFile(requireOption(values.key, 'key'), 'the public key');
    const content = readPublicBytes(file, 'the package', mostBytes);
    const envelope = parseJson(readPublicFile(toSignaturePath(file), 'the signature'));
    const fault = signatureFault(key, 'release', content, envelope);
    const { version, commit } = readFacts(envelope);
    const reason =
      fault ??
      (values.commit === undefined || values.commit === commit ? null : `it was built from commit ${String(commit)}`);
    const said = [`version ${String(version)}`, `commit ${String(commit)}`, `sha256 ${sha256(content)}`];
    process.stdout.write(
      `${reason === null ? [`${path.basename(file)} is signed with this key`, ...said].join('\n') : reason}\n`,
    );
    return Promise.resolve(reason === null ? 0 : 1);
  },
};
