// What can be said of a block without running it: its class, its syntax, whether an unrun command has a reason.
import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { parseAllDocuments } from 'yaml';
import { type Block, formatPlace } from './blocks.ts';
import { classes } from './classes.ts';
import { findCommands } from './commands.ts';
import { elsewhere } from './elsewhere.ts';

/** What is wrong with the block, as sentences; nothing when all is well. */
export function findFaults(block: Block): readonly string[] {
  return (judges[block.class] ?? unknownClass)(block).map((what) => `${formatPlace(block)}: ${what}`);
}

type Judge = (block: Block) => readonly string[];

const nothing: Judge = () => [];

const unknownClass: Judge = (block) => [
  `a block of the class ${JSON.stringify(block.class)}; write one of ${Object.keys(classes).join(', ')} behind the fence`,
];

const judges: Readonly<Record<string, Judge>> = {
  sh: shellFaults,
  yamaha: nothing,
  ios: nothing,
  sql: nothing,
  json: parsed((text) => JSON.parse(text)),
  jsonl: parsed((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ),
  yaml: parsed((text) => {
    for (const document of parseAllDocuments(text)) {
      for (const error of [...document.errors, ...document.warnings]) {
        throw error;
      }
    }
  }),
  ini: lines(/^(?:\[[\w-]+\]|\s*[\w-]+\s*=.*|[#;].*|)$/, 'neither a section nor NAME = VALUE'),
  env: lines(/^(?:[A-Z][A-Z0-9_]*=.*|#.*|)$/, 'not NAME=VALUE'),
  ts: parsed((text) => stripTypeScriptTypes(`async () => {${text}}`)),
  xml: parsed(balanced),
  text: lines(/^(?!\s*[$#] \w)/, 'a command behind a prompt: write it in a block of its own class, without the prompt'),
  mermaid: nothing,
};

function parsed(read: (text: string) => unknown): Judge {
  return ({ text }) => {
    try {
      read(text);
      return [];
    } catch (error) {
      return [`cannot be parsed: ${(error as Error).message}`];
    }
  };
}

function lines(pattern: RegExp, what: string): Judge {
  return ({ text }) =>
    text.split('\n').flatMap((line) => (pattern.test(line) ? [] : [`${JSON.stringify(line)}: ${what}`]));
}

function shellFaults(block: Block): readonly string[] {
  const read = spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' });
  const syntax = read.status === 0 ? [] : [`bash cannot read it: ${read.stderr.trim()}`];
  if (block.name !== 'elsewhere') {
    return syntax;
  }
  const unlisted = findCommands(block.text).filter((command) => !elsewhere.some(([begins]) => begins.test(command)));
  return [
    ...syntax,
    ...unlisted.map(
      (command) => `"${command}" is not run and test/support/documents/elsewhere.ts has no reason for it`,
    ),
  ];
}

/** Throws where an element of the text ends that is not open, or never ends. */
function balanced(text: string): void {
  const open: string[] = [];
  for (const [tag, slash, name = '', , empty] of text
    .replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, '')
    .matchAll(/<(\/?)([\w.-]+)(\s[^<>]*?)?(\/?)>/g)) {
    if (slash === '' && empty === '') {
      open.push(name);
    } else if (slash === '/' && open.pop() !== name) {
      throw new Error(`${tag} ends what is not open`);
    }
  }
  if (open.length > 0) {
    throw new Error(`<${open.at(-1)}> never ends`);
  }
}
