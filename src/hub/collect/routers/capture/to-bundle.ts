// Makes an anonymous bundle from a recording.
import { anonymiseTexts, isIdentifying, type Replacement } from '#capture/anonymise.ts';
import { type Bundle, bundleVersion } from '#capture/bundle.ts';
import { isName, type KnownWords } from '#capture/tokens.ts';
import type { Recording } from './record.ts';

export interface AnonymousBundle {
  bundle: Bundle;
  replacements: Replacement[];
  words: KnownWords;
}

/** `user` and `secrets` are those of the login; they are replaced too. */
export function toBundle(recording: Recording, user: string, secrets: readonly string[]): AnonymousBundle {
  const { greeting, exchanges } = recording;
  const prompts = [...new Set([greeting.prompt, ...exchanges.flatMap((one) => [one.promptBefore, one.promptAfter])])];
  const parts = [
    { name: '00-greeting', answer: maskGreeting(recording), isCut: false },
    ...exchanges.map(({ command, answer, ending }, at) => ({
      name: `${String(at + 1).padStart(2, '0')}-${toFileName(command)}`,
      answer,
      isCut: ending !== 'prompt',
    })),
  ];
  const originals = [
    ...parts.map(({ answer, isCut }) => ({ bytes: answer, isCut })),
    ...prompts.map((prompt) => ({ bytes: Buffer.from(prompt, 'latin1'), isCut: false })),
  ];
  const names = [...findRouterNames(recording), user].filter(isName);
  const { texts, replacements, words } = anonymiseTexts(originals, { names, secrets });
  const files = new Map(parts.map(({ name }, at) => [`${name}.txt`, texts[at] ?? Buffer.alloc(0)]));
  const newPrompts = new Map(prompts.map((prompt, at) => [prompt, texts[parts.length + at]?.toString('latin1') ?? '']));
  const toPrompt = (prompt: string) => newPrompts.get(prompt) ?? '';
  const fileFacts = (at: number) => ({ file: `${parts[at]?.name}.txt`, bytes: parts[at]?.answer.length ?? 0 });
  const index: Bundle['index'] = {
    format: 'gatehouse-capture',
    version: bundleVersion,
    kind: recording.kind,
    model: recording.model.slice(0, 200),
    natDescriptor: recording.natDescriptor,
    ssh: recording.ssh,
    greeting: { prompt: toPrompt(greeting.prompt), ...fileFacts(0), steps: greeting.steps },
    exchanges: exchanges.map(({ command, promptBefore, promptAfter, ending, steps }, at) => ({
      command,
      promptBefore: toPrompt(promptBefore),
      promptAfter: toPrompt(promptAfter),
      ending,
      ...fileFacts(at + 1),
      steps,
    })),
    failure: recording.failure?.failure ?? null,
    missing: recording.missing,
    replaced: countKinds(replacements),
  };
  return { bundle: { index, files }, replacements, words };
}

function toFileName(command: string): string {
  return command
    .toLowerCase()
    .replace(/[^\da-z]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
}

/** Returns the words of the prompt that are not the model. */
function findRouterNames({ greeting, model }: Recording): string[] {
  return (greeting.prompt.match(/[\w\x80-\xff-]+/g) ?? []).filter((word) => !model.startsWith(word));
}

/** The lines with which vendor_a says what it is, such as `RTX1210 Rev.14.01.42 (Fri Jul  5 11:17:45 2024)`. */
const factLines: readonly RegExp[] = [
  /^[A-Z][\w-]* Rev\.[\d.]+(?: \([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}\))?\r*$/,
  /^Copyright \(c\) [\d-]+ Yamaha Corporation\. All Rights Reserved\.\r*$/,
  /^To display the software copyright statement, use 'show copyright' command\.\r*$/,
  /^[\da-f]{2}(?::[\da-f]{2}){5}(?:, [\da-f]{2}(?::[\da-f]{2}){5})*\r*$/,
  /^Memory \d+Mbytes(?:, \d+[A-Z]+)*\r*$/,
];

/** Masks the other lines of the greeting: the owner of the router wrote them. */
function maskGreeting({ kind, greeting }: Recording): Buffer {
  const lines = greeting.answer.toString('latin1').split('\n');
  const isFact = (line: string) => kind === 'vendor_a' && factLines.some((fact) => fact.test(line));
  const masked = lines.map((line) =>
    isFact(line) ? line : line.replace(/[A-Za-z\x80-\xff]/g, 'x').replace(/\d/g, '0'),
  );
  return Buffer.from(masked.join('\n'), 'latin1');
}

function countKinds(replacements: readonly Replacement[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of replacements.filter((one) => isIdentifying(one.kind, one.from))) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
