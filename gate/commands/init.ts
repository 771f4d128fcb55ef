// `gatehouse gate init`: asks for the settings, and writes the private environment file and the evidence template.
import path from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { createText, isThere, removeIfPossible } from '#kernel/files/files.ts';
import { type GateProfile, isUserPool, parseGateConfig } from '../config.ts';
import { evidenceTemplate } from '../evidence/template.ts';
import { GateError } from '../private-file.ts';
import { type Command, parseOptions, refuseDeploymentOptions, UsageError } from './command.ts';
import { createAsker, profileQuestion, questions } from './questions.ts';

const allQuestions = [profileQuestion, ...questions];

const options = {
  out: { type: 'string', default: 'gate.env' },
  evidence: { type: 'string' },
  yes: { type: 'boolean' },
  ...Object.fromEntries(allQuestions.map(({ option }) => [option, { type: 'string' } as const])),
} as const;

export const initCommand: Command = {
  summary: 'ask for the settings; write the private environment file and the evidence template',
  usage: `Usage: gatehouse gate init [--out FILE] [--evidence FILE] [--yes] [options]

Asks for each setting that no option gives, and writes the environment file of the gate, mode 0600; for a publication
also the evidence template. It overwrites no file. The tokens are left to be filled in.

Options
  --out FILE              the environment file (gate.env in the working directory)
  --evidence FILE         the evidence (evidence.json in the folder of the environment file)
  --yes                   asks nothing: takes the default answers, in brackets
${allQuestions.map(({ option, asks, defaultAnswer }) => `  --${option.padEnd(21)} ${asks}${defaultAnswer ? ` [${defaultAnswer}]` : ''}`).join('\n')}
`,
  async run(argv, signal) {
    const { values } = parseOptions(argv, options);
    const file = path.resolve(String(values.out));
    const folder = path.dirname(file);
    const evidence = path.resolve(values.evidence ?? path.join(folder, 'evidence.json'));
    const report = path.join(folder, 'report.json');
    refuseExisting(file, '--out');
    const given = values as Readonly<Record<string, string | boolean | undefined>>;
    using asker = createAsker({
      given,
      isSilent: values.yes === true,
      input: process.stdin,
      signal,
      say: (text) => process.stderr.write(text),
    });
    const profile = (await asker.answer(profileQuestion, 'publication')) as GateProfile;
    const asked = questions.filter(({ profiles }) => profiles.includes(profile));
    const notAsked = questions.filter(({ option }) => !asked.some((question) => question.option === option));
    refuseDeploymentOptions(profile, given, ['evidence', ...notAsked.map(({ option }) => option)]);
    if (profile === 'publication') {
      refuseExisting(evidence, '--evidence');
    }
    refuseSameName(profile === 'publication' ? [file, evidence, report] : [file, report]);
    const settings: Record<string, string> = { MCP_GATE_PROFILE: profile };
    for (const question of asked) {
      const text = await asker.answer(question, profile);
      if (text !== '') {
        settings[question.setting] = text;
      }
    }
    Object.assign(settings, deriveSettings(settings, profile, evidence), { MCP_GATE_REPORT_PATH: report });
    const texts = new Map([[file, formatEnv(settings, listTokens(profile))]]);
    if (profile === 'publication') {
      const { MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: kind, MCP_GATE_DEPLOYED_COMMIT: commit } = settings;
      const template = evidenceTemplate(kind === 'cloud_idp' ? kind : 'strict', commit);
      texts.set(evidence, `${JSON.stringify(template, null, 2)}\n`);
    }
    createAll(texts);
    process.stdout.write(explainNext({ profile, file, evidence, lacksScope: isScopeMissing(settings) }));
    return 0;
  },
};

function refuseExisting(file: string, option: string): void {
  if (isThere(file)) {
    throw new UsageError(`${file} exists: name another file with ${option}, or move it away`);
  }
}

/** Creates all files or none; `texts` by path. Throws a GateError. */
function createAll(texts: ReadonlyMap<string, string>): void {
  const created: string[] = [];
  for (const [file, text] of texts) {
    try {
      createText(file, text);
      created.push(file);
    } catch (cause) {
      created.forEach(removeIfPossible);
      throw new GateError(
        `${file} cannot be written: does its folder exist, and may you write to it? Nothing was written`,
        { cause },
      );
    }
  }
}

function refuseSameName(files: readonly string[]): void {
  const twice = files.find((file, index) => files.indexOf(file) < index);
  if (twice !== undefined) {
    throw new UsageError(`${twice} is the name of two files: give --out, --evidence and the report a name each`);
  }
}

/** Returns the settings that nobody is asked for, because the answers decide them. */
function deriveSettings(
  { MCP_GATE_ENDPOINT: endpoint = '', MCP_GATE_ISSUER: issuer = '' }: Readonly<Record<string, string>>,
  profile: GateProfile,
  evidence: string,
): Record<string, string> {
  const isCloud = isUserPool(issuer);
  return {
    ...((profile === 'publication' || isCloud) && {
      MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: isCloud ? 'cloud_idp' : 'strict',
    }),
    ...(profile === 'publication' && { MCP_GATE_RESOURCE: endpoint, MCP_GATE_EVIDENCE_PATH: evidence }),
  };
}

/** Returns the tokens that the profile needs, each with a placeholder. Secrets are not typed on a screen. */
function listTokens(profile: GateProfile): Record<string, string> {
  const words = [
    ...['READ', 'EXPIRED', 'WRONG_AUDIENCE'],
    ...(profile === 'publication' ? ['WRITE', 'REVOKED_EXPIRED', 'MONITOR'] : []),
  ];
  return Object.fromEntries(
    words.map((word) => [`MCP_GATE_${word}_TOKEN`, `put-the-${word.toLowerCase().replaceAll('_', '-')}-token-here`]),
  );
}

/** The text of the file. Throws a GateError when the gate would not take it, or would read something else. */
function formatEnv(settings: Readonly<Record<string, string>>, tokens: Readonly<Record<string, string>>): string {
  const lines = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `${name}=${quote(value)}`);
  const text = `${[
    '# Settings of gatehouse gate (docs/gate.md, section 2). Keep mode 0600: the tokens are secrets.',
    ...lines(settings),
    ...(isScopeMissing(settings)
      ? ['# MCP_GATE_READ_SCOPE is missing: add it, with a scope of scopes_supported in the metadata of the resource.']
      : []),
    '# Replace each put-the-NAME-here by the token, or the line by NAME_FILE=PATH of a file that holds the token.',
    ...lines(tokens),
  ].join('\n')}\n`;
  const read = parseEnv(text) as Record<string, string>;
  if (!isDeepStrictEqual({ ...read }, { ...settings, ...tokens })) {
    throw new GateError('a line of the environment file cannot hold one of the answers: leave quotes out of it');
  }
  try {
    // Any scope will do here: the run reports one that is missing.
    parseGateConfig({ MCP_GATE_READ_SCOPE: 'later', ...read });
  } catch (error) {
    throw new GateError(`${messageOf(error)}: nothing was written`);
  }
  return text;
}

function isScopeMissing(settings: Readonly<Record<string, string>>): boolean {
  return settings.MCP_GATE_READ_SCOPE === undefined;
}

function quote(value: string): string {
  return /^[\w./:@%+,-]*$/.test(value) ? value : value.includes("'") ? `"${value}"` : `'${value}'`;
}

interface WrittenFiles {
  profile: GateProfile;
  file: string;
  evidence: string;
  lacksScope: boolean;
}

function explainNext({ profile, file, evidence, lacksScope }: WrittenFiles): string {
  const run = `gatehouse gate run --env ${quote(file)}`;
  return profile === 'resource-server'
    ? `Wrote ${file}. ${lacksScope ? 'Add MCP_GATE_READ_SCOPE to it, as its comment says. ' : ''}Take the tokens (docs/gate.md, section 8), put them into it, then:

  ${run}
`
    : `Wrote ${file} and ${evidence}. Take the tokens (docs/gate.md, section 2), put them into the first, then:

  gatehouse gate collect refresh-replay --env ${quote(file)}
  gatehouse gate collect --help          the other items of the evidence
  ${run}
`;
}
