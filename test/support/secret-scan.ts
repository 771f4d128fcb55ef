// Secrets in files, found by secretlint's recommended rules and by the forms of this product's own credentials.
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { holdsSecret } from './secrets.ts';

const id = '@secretlint/secretlint-rule-preset-recommend';
const config = { rules: [{ id, rule: creator, options: {} }] };
/** Characters that are looked at together: the library's own measurements take quadratic time in the number of calls. */
const together = 2 ** 21;

/** `text` of a binary file is its bytes as latin1. */
export interface ScannedFile {
  file: string;
  text: string;
}

/** One line for each file and kind of secret: `FILE: RULE`, in order. Never the secret itself. */
export async function secretsIn(files: readonly ScannedFile[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { file, text } of files) {
    if (holdsSecret(text)) {
      found.add(`${file}: gatehouse-credential`);
    }
  }
  for (const some of inParts(files)) {
    const content = some.map(({ text }) => `${text}\n\n`).join('');
    const source = { content, filePath: 'joined.txt', contentType: 'text' as const, ext: '.txt' };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true, maskSecrets: true } });
    for (const { ruleId, messageId, range } of messages) {
      found.add(`${fileAt(some, range[0])}: ${ruleId.replace(/^.*secretlint-rule-/, '')} ${messageId}`);
    }
  }
  return [...found].sort();
}

function inParts(files: readonly ScannedFile[]): ScannedFile[][] {
  const parts: ScannedFile[][] = [];
  let room = 0;
  for (const one of files) {
    if (room < one.text.length) {
      parts.push([]);
      room = together;
    }
    parts.at(-1)?.push(one);
    room -= one.text.length;
  }
  return parts;
}

function fileAt(files: readonly ScannedFile[], offset: number): string {
  let end = 0;
  return files.find(({ text }) => {
    end += text.length + 2;
    return offset < end;
  })?.file as string;
}
