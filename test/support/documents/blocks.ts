// The fenced code blocks of the documents, each with its class: the first word behind the opening fence.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../program.ts';

export interface Block {
  /** Below the repository's folder. */
  file: string;
  /** Of the opening fence. */
  line: number;
  /** The nearest heading of the second or a deeper level above it. */
  heading: string;
  /** `sh`, `ios`, `json`, …; empty where the fence says nothing. */
  class: string;
  /** The word behind the class, which names it for a test; empty when there is none. */
  name: string;
  /** Without the indentation of the fence. */
  text: string;
}

/** Every document that people read: those of the root and of `docs/`, in the order of their names. */
export function documentNames(): readonly string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /^(?:[^/]+|docs\/.+)\.md$/.test(file) && existsSync(path.join(root, file)))
    .sort();
}

export function readDocument(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The blocks of a text, in order. */
export function findBlocks(file: string, source: string): readonly Block[] {
  const found: Block[] = [];
  let heading = '';
  let open: { indent: string; block: Block } | null = null;
  for (const [index, line] of source.split('\n').entries()) {
    const fence = /^([ \t]*)```(.*)$/.exec(line);
    if (open !== null) {
      if (fence?.[2]?.trim() === '') {
        found.push(open.block);
        open = null;
      } else {
        open.block.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart()}\n`;
      }
    } else if (fence) {
      const [type = '', name = ''] = (fence[2] ?? '').trim().split(/\s+/);
      open = { indent: fence[1] ?? '', block: { file, line: index + 1, heading, class: type, name, text: '' } };
    } else {
      heading = /^##+ (.*)$/.exec(line)?.[1] ?? heading;
    }
  }
  if (open !== null) {
    throw new Error(`${file}:${open.block.line}: the block is never closed`);
  }
  return found;
}

/** The blocks of one document. */
export function blocksIn(file: string): readonly Block[] {
  return findBlocks(file, readDocument(file));
}

/** `file:line`, for messages. */
export function formatPlace({ file, line }: Block): string {
  return `${file}:${line}`;
}
