// What documents name in their sentences and blocks: commands of ours with their options, npm scripts, variables, files.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { api } from '#contract/index.ts';
import { root, runProgram } from '../program.ts';

export interface Mention {
  line: number;
  text: string;
}

/** `gatehouse …` and `upsget …` in backticks or at the start of a command. */
export function commandMentions(source: string): readonly Mention[] {
  return mentions(source, /(?<=`|^\s*|&& |\| |\$\()(?:gatehouse|upsget)(?: [^`\n|;&)]+)?/gm);
}

export function scriptMentions(source: string): readonly Mention[] {
  return mentions(source, /(?<=\bnpm run )[a-z][\w:-]*/g);
}

export function variableMentions(source: string): readonly Mention[] {
  return mentions(source, /\b(?:MONITOR|MCP|GATEHOUSE|UPSGET|SIM|ENRICHMENT|POLL)_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g);
}

/** Targets of links that lead to a file of the repository. */
export function linkMentions(source: string): readonly Mention[] {
  const prose = source.replace(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, (block) => block.replace(/[^\n]/g, ' '));
  return mentions(prose, /(?<=\]\()(?![a-z]+:|#)[^)\s#]+/g);
}

/** `GET /api/…` and the like, as routes are written in sentences. */
export function routeMentions(source: string): readonly Mention[] {
  return mentions(source, /(?<=`)(?:GET|POST|PUT|PATCH|DELETE) \/(?:api\/|healthz|readyz|metrics)[^\s`"?]*/g);
}

/** Whether the hub has the route; `ID`, `:id`, `SRC,DST` stand for one part of a path. */
export function isRoute(text: string): boolean {
  const [method = '', asked = ''] = text.split(' ');
  const parts = asked.replace(/[,;.]$/, '').split('/');
  return Object.values(api)
    .flatMap((feature) => Object.values(feature) as { method: string; path: string }[])
    .some((route) => {
      const own = route.path.split('/');
      return (
        route.method === method &&
        own.length === parts.length &&
        own.every(
          (part, at) =>
            part === parts[at] || (part.startsWith(':') && /^(?::\w+|\{\w+\}|[A-Z,]+)$/.test(parts[at] ?? '')),
        )
      );
    });
}

function mentions(source: string, pattern: RegExp): Mention[] {
  return [...source.matchAll(pattern)].map(({ 0: text, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: text.trim(),
  }));
}

const helps = new Map<string, Promise<{ code: number | null; stdout: string }>>();

function helpOf(words: readonly string[]) {
  const key = words.join(' ');
  const [program = '', ...rest] = words;
  const known = helps.get(key) ?? runProgram([`bin/${program}.js`, ...rest, '--help']);
  helps.set(key, known);
  return known;
}

/** What no `--help` knows of a command; nothing when all is there. */
export async function commandFaults(command: string): Promise<readonly string[]> {
  const words = command
    .replace(/\\\s*$/, '')
    .split(/\s+/)
    .filter(Boolean);
  const options = words
    .flatMap((word) => /^--[a-z][\w-]*/.exec(word)?.[0] ?? [])
    .filter((option) => option !== '--help');
  const [program = '', ...rest] = words;
  let known = (await helpOf([program])).stdout;
  const path: string[] = [program];
  for (const word of rest) {
    if (!/^[a-z][a-z_-]*$/.test(word) || program === 'upsget') {
      break;
    }
    if (!new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(known)) {
      return path.length === 1 ? [`${program} has no command ${word}`] : [];
    }
    const help = await helpOf([...path, word]);
    if (help.code !== 0) {
      break;
    }
    path.push(word);
    known += help.stdout;
  }
  return options
    .filter((option) => !new RegExp(`${option}(?![\\w-])`).test(known))
    .map((option) => `${path.join(' ')} --help says nothing of ${option}`);
}

/** The names of all variables that programs, tests and packages read or set. */
export function variablesOfSources(): ReadonlySet<string> {
  const files = globSync(
    [
      'src/**/*.ts',
      'gate/**/*.ts',
      'simulators/**/*.ts',
      'scripts/**/*',
      'test/support/**/*.ts',
      'bin/*.js',
      'packaging/**/*',
      '*.yaml',
    ],
    {
      cwd: root,
      withFileTypes: true,
    },
  ).filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'));
  return new Set(
    files.flatMap((entry) =>
      variableMentions(readFileSync(path.join(entry.parentPath, entry.name), 'utf8')).map(({ text }) => text),
    ),
  );
}

export function scriptNames(): ReadonlySet<string> {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return new Set(Object.keys(scripts));
}

export function linkLeadsNowhere(file: string, target: string): boolean {
  return !existsSync(path.join(root, path.dirname(file), decodeURIComponent(target)));
}
