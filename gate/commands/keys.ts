// `gatehouse gate keygen` and `gate sign`: the operator's Ed25519 key, and signatures over evidence and reports.
import path from 'node:path';
import { isThere, writeJson, writeText } from '#kernel/files/files.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { parseJson } from '#kernel/text/json.ts';
import { readRuns, transcriptFaults } from '../evidence/transcripts.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import { isReport } from '../report.ts';
import { createKeyPair, predicateTypes, signFile, toSignaturePath } from '../signature.ts';
import { type Command, parseOptions, requireOption, UsageError } from './command.ts';

export const keygenCommand: Command = {
  summary: 'generate an Ed25519 key pair for evidence and reports',
  usage: `Usage: gatehouse gate keygen --out FILE

Writes the private key to FILE (mode 0600) and the public key to FILE.pub. Do not store the private key on the machine
under test; the gate needs only the public key, to verify evidence.
`,
  run(argv) {
    const { values } = parseOptions(argv, { out: { type: 'string' } });
    const out = requireOption(values.out, 'out');
    if (isThere(out) || isThere(`${out}.pub`)) {
      throw new UsageError(`${out} or ${out}.pub exists: name another file`);
    }
    const { privatePem, publicPem } = createKeyPair();
    writeText(out, privatePem);
    writeText(`${out}.pub`, publicPem);
    process.stdout.write(`${out}\n${out}.pub\n`);
    return Promise.resolve(0);
  },
};

export const signCommand: Command = {
  summary: 'sign an evidence file or a report',
  usage: `Usage: gatehouse gate sign evidence|report FILE --key KEY

Writes FILE.dsse.json: a DSSE envelope around an in-toto statement that names the digest of FILE. Sign again after every
change of FILE. Evidence is signed only when the transcripts that it names lie next to it, unchanged.
`,
  run(argv) {
    const { values, positionals } = parseOptions(argv, { key: { type: 'string' } }, 2);
    const [kind = '', file = ''] = positionals;
    if (kind !== 'evidence' && kind !== 'report') {
      throw new UsageError(`${Object.keys(predicateTypes).join(' or ')} can be signed, not "${kind}"`);
    }
    const key = readPrivateFile(requireOption(values.key, 'key'), 'the signing key');
    const text = readPrivateFile(file, `the ${kind}`);
    requireWhole(kind, file, text);
    const facts = { tool: 'gatehouse', toolVersion: packageVersion() };
    writeJson(toSignaturePath(file), signFile(key, kind, path.basename(file), text, facts));
    process.stdout.write(`${toSignaturePath(file)}\n`);
    return Promise.resolve(0);
  },
};

/** Throws a GateError when the document and its transcripts do not belong together. */
function requireWhole(kind: 'evidence' | 'report', file: string, text: string): void {
  const document = parseJson(text);
  if (kind === 'report' && !isReport(document)) {
    throw new GateError(`${file} is no report of this gate`);
  }
  const [fault] = kind === 'evidence' ? transcriptFaults(document, readRuns(file)) : [];
  if (fault !== undefined) {
    throw new GateError(`${file} was not signed: ${fault}; put them back, or collect the item again`);
  }
}
