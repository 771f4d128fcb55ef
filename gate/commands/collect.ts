// `gatehouse gate collect ITEM` runs an experiment and writes its item; `gate attest ITEM` records the attestation of a
// person.
import { systemClock } from '#kernel/time/clock.ts';
import type { CollectContext } from '../collect/collector.ts';
import { collectors } from '../collect/collectors.ts';
import { recordItem } from '../collect/record-item.ts';
import { createTranscript } from '../collect/transcript.ts';
import { type GateConfig, readGateConfig, requirePublicationProfile } from '../config.ts';
import { getEvidenceSettings } from '../evidence/input.ts';
import { items } from '../evidence/items.ts';
import { isName } from '../evidence/name.ts';
import { readPublicFile } from '../private-file.ts';
import { type Command, parseOptions, requireOption, UsageError, writeProgress } from './command.ts';

const common = { env: { type: 'string' }, evidence: { type: 'string' }, by: { type: 'string' } } as const;

export const collectCommand: Command = {
  summary: 'run an experiment and write its evidence item',
  usage: `Usage: gatehouse gate collect ITEM --env FILE [--evidence FILE] [options]

Runs the experiment, and writes the item with the observed fields, the digest of the transcript, version, commit and
time. An item passes only when all observations are correct; a failed item is written as failed.

Items
${collectors.map(({ name, summary, item }) => `  ${name.padEnd(22)} ${summary}\n${' '.repeat(25)}writes ${item}`).join('\n')}

Options
  --env FILE                 private environment file of the gate, mode 0600
  --evidence FILE            evidence, schema v3, mode 0600 (MCP_GATE_EVIDENCE_PATH)
  --by NAME                  the person who measures; shown in the item and the report (MCP_GATE_OPERATOR)
${collectors
  .filter(({ help }) => help !== '')
  .map(({ name, help }) => `\n${name}\n${help}`)
  .join('')}
Exit code: 0 when the item passes, 1 when it does not, 2 when the experiment could not be carried out.
`,
  async run([name = '', ...argv], signal) {
    const collector = collectors.find((one) => one.name === name);
    if (!collector) {
      throw new UsageError(`there is no item "${name}"; there are ${collectors.map((one) => one.name).join(', ')}`);
    }
    const { values } = parseOptions(argv, { ...common, ...collector.options });
    const config = readGateConfig(requireOption(values.env, 'env'));
    if (!authorizationServerItems.includes(collector.item)) {
      requirePublicationProfile(config, `gate collect ${collector.name}`);
    }
    const isRecorded = hasEvidenceItem(collector.item, config);
    const by = isRecorded ? parseName(values.by ?? config.MCP_GATE_OPERATOR) : '';
    const { MCP_GATE_CA_PATH: caPath } = config;
    const transcript = createTranscript(
      () => systemClock.now(),
      ({ did, saw }) => writeProgress(`${did}: ${saw}\n`),
    );
    const context: CollectContext = {
      config,
      clock: systemClock,
      ca: caPath === undefined ? undefined : readPublicFile(caPath, 'the CA'),
      options: values as CollectContext['options'],
      transcript,
      signal,
      say: (text) => process.stderr.write(text),
    };
    const { fields, objections } = await collector.run(context);
    if (!isRecorded) {
      const because = objections.join('; ');
      printOutcome(collector.item, because, '. No evidence was written: this profile asks for none of it');
      return because === '' ? 0 : 1;
    }
    const recorded = recordItem({
      ...locateEvidence(config, values.evidence),
      item: collector.item,
      fields,
      objections,
      partial: collector.partial ?? false,
      source: { how: 'measured', by, collector: collector.name, transcript },
    });
    printOutcome(
      collector.item,
      recorded.passed ? '' : String(recorded.because),
      `\ntranscript: ${recorded.transcriptPath}`,
    );
    return recorded.passed ? 0 : 1;
  },
};

export const attestCommand: Command = {
  summary: 'record what a person attests, under that person’s name',
  usage: `Usage: gatehouse gate attest ITEM --by NAME --env FILE [--evidence FILE]

Records an item that no experiment can show, attested by NAME.

Items
${attestable()
  .map(({ name, shows }) => `  ${name.padEnd(28)} ${shows}`)
  .join('\n')}
`,
  run([name = '', ...argv]) {
    const item = attestable().find((one) => one.name === name);
    if (!item) {
      const names = attestable().map((one) => one.name);
      throw new UsageError(`"${name}" is not attested by a person; ${names.join(' and ')} are`);
    }
    const { values } = parseOptions(argv, common);
    const by = parseName(requireOption(values.by, 'by'));
    const config = readGateConfig(requireOption(values.env, 'env'));
    requirePublicationProfile(config, 'gate attest');
    const recorded = recordItem({
      ...locateEvidence(config, values.evidence),
      item: name,
      fields: {},
      objections: [],
      partial: false,
      source: { how: 'attested', by },
    });
    process.stdout.write(`${name}: attested by ${by}\n`);
    return Promise.resolve(recorded.passed ? 0 : 1);
  },
};

/** Items about the authorization server alone. Their experiments work for any MCP server. */
const authorizationServerItems = ['refreshRevocation', 'revocation'];

/** Whether evidence under the profiles of `config` has an item of this name. */
function hasEvidenceItem(item: string, config: GateConfig): boolean {
  const { MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: profile, MCP_GATE_PROFILE: gateProfile } = config;
  return (
    gateProfile === 'publication' && items.some(({ name, requiredBy }) => name === item && requiredBy.includes(profile))
  );
}

/** The name to record in the item. Throws a UsageError when it is missing or no name. */
function parseName(given: unknown): string {
  if (given === undefined) {
    throw new UsageError('--by or MCP_GATE_OPERATOR must name who measures');
  }
  const by = String(given).trim();
  if (!isName(by)) {
    throw new UsageError('--by must be the name of a person, 2 to 100 characters');
  }
  return by;
}

function attestable() {
  return items.filter(({ collector }) => collector === null);
}

function locateEvidence(config: GateConfig, given: unknown) {
  const evidencePath = typeof given === 'string' ? given : config.MCP_GATE_EVIDENCE_PATH;
  if (evidencePath === undefined) {
    throw new UsageError('--evidence or MCP_GATE_EVIDENCE_PATH must name the evidence');
  }
  return {
    evidencePath,
    context: { now: systemClock.now(), ...getEvidenceSettings(config) },
  };
}

/** Prints whether the item passed. `because` is empty when it did. */
function printOutcome(item: string, because: string, rest: string): void {
  process.stdout.write(`${item}: ${because === '' ? 'passed' : `NOT passed: ${because}`}${rest}\n`);
}
