// What is wrong with a Containerfile, one sentence each: its last stage is what runs.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { root } from '../support/program.ts';
import { isNumericUser } from './compose-faults.ts';

export interface ImageFacts {
  version: string;
  /** Version of the Node with which the programs are tested. */
  node: string;
  /** Files that are in the image below /opt/gatehouse. */
  files: ReadonlySet<string>;
  /** Variables that the programs read. */
  variables: ReadonlySet<string>;
  ports: readonly number[];
  /** Words of the health check; null: the image has none. */
  health: readonly string[] | null;
}

const home = '/opt/gatehouse/';
/** Read by Node and by bin/launch.js. */
const others = ['NODE_ENV', 'CACHE_DIRECTORY'];

interface Line {
  keyword: string;
  text: string;
}

/** The faults in the order of the rules; none: an empty list. */
export function containerfileFaults(source: string, facts: ImageFacts): string[] {
  const lines = DockerfileParser.parse(source)
    .getInstructions()
    .map((each: Instruction) => ({ keyword: each.getKeyword(), text: textOf(each) }));
  const last = lines.slice(lines.findLastIndex(({ keyword }) => keyword === 'FROM'));
  const argument = (name: string) =>
    lines.find(({ keyword, text }) => keyword === 'ARG' && text.startsWith(`${name}=`))?.text.slice(name.length + 1);
  const only = (keyword: string) => last.filter((line) => line.keyword === keyword).at(-1)?.text;
  const entry = words(only('ENTRYPOINT'));
  const health = words(/CMD\s+(\[.*\])/s.exec(only('HEALTHCHECK') ?? '')?.[1]);
  const env = Object.fromEntries((only('ENV') ?? '').split(/\s+/).map((pair) => pair.split('=') as [string, string]));
  const rules: [boolean, string][] = [
    [lines.every(({ keyword }) => known.includes(keyword)), 'it has an instruction that engines do not know'],
    [argument('NODE') === `docker.io/library/node:${facts.node}-bookworm-slim`, `NODE is not the Node ${facts.node}`],
    [[undefined, facts.version].includes(argument('VERSION')), `VERSION is not ${facts.version}`],
    [isNumericUser(only('USER')), `USER ${only('USER')} is not a number other than 0`],
    [last.at(-1)?.keyword === 'CMD' && words(only('CMD')) !== null, 'CMD is not a list of words at the end'],
    [entry?.[0] === 'node', 'ENTRYPOINT is not node with a list of words: signals would not reach the program'],
    [isThere(entry?.[1], facts), `there is no program ${entry?.[1]}`],
    [only('STOPSIGNAL') === 'SIGTERM', 'STOPSIGNAL is not SIGTERM'],
    [(only('EXPOSE') ?? '') === facts.ports.join(' '), `EXPOSE is not ${facts.ports.join(' ')}`],
    [health?.slice(2).join() === facts.health?.join(), `HEALTHCHECK does not run ${facts.health?.join(' ')}`],
    [health === null || (health[0] === 'node' && isThere(health[1], facts)), 'HEALTHCHECK runs what is not there'],
    [(words(only('VOLUME'))?.[0] ?? env.MONITOR_DATA_DIR) === env.MONITOR_DATA_DIR, 'VOLUME is not MONITOR_DATA_DIR'],
  ];
  const unknown = Object.keys(env).filter((name) => name !== '' && ![...facts.variables, ...others].includes(name));
  return [
    ...rules.filter(([isRight]) => !isRight).map(([, fault]) => fault),
    ...unknown.map((name) => `the programs do not know ${name}`),
    ...lines.flatMap((line) => missingSources(line, facts.version)),
  ];
}

const known = [
  'ARG',
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'ENV',
  'USER',
  'VOLUME',
  'EXPOSE',
  'STOPSIGNAL',
  'HEALTHCHECK',
].concat(['ENTRYPOINT', 'CMD', 'LABEL']);

/** What follows the keyword, flags included, as it is written. */
function textOf(instruction: Instruction): string {
  return instruction.getTextContent().replace(/^\S+\s+/, '');
}

function words(text: string | undefined): string[] | null {
  try {
    return JSON.parse(text ?? 'null') as string[] | null;
  } catch {
    // The form of a shell.
    return null;
  }
}

function isThere(file: string | undefined, { files }: ImageFacts): boolean {
  return file?.startsWith(home) === true && files.has(file.slice(home.length));
}

/** What is copied from the repository and is not there, or is not sent to the builder. */
function missingSources({ keyword, text }: Line, version: string): string[] {
  if (keyword !== 'COPY' || text.startsWith('--from=')) {
    return [];
  }
  const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n');
  const built = `dist/gatehouse-${version}.tgz`;
  return text
    .split(/\s+/)
    .slice(0, -1)
    .map((name) => name.replace(/\$\{VERSION\}/, version))
    .flatMap((name) => [
      ...(name === built || existsSync(path.join(root, name)) ? [] : [`there is no ${name} to copy`]),
      ...(ignored.some((line) => line !== '' && (line === name || name.startsWith(`${line}/`)))
        ? [`.dockerignore leaves out ${name}`]
        : []),
    ]);
}
