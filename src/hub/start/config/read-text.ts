// Reads the configuration from text: by the rules of the API, with all mistakes at once. The settings change as a whole.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { type Place, parseSource } from '#kernel/text/yaml.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { toTextMistake } from '../../base/settings/text-mistake.ts';
import type { FindSecret } from './secrets.ts';
import { getAt, isObject, mapSecretSpots, type Section, type Spot, type Surroundings } from './section.ts';
import { textVersion } from './write-text.ts';

export interface ReadOptions {
  /** For messages. */
  file: string;
  sections: readonly Section[];
  /** The settings as they are: what the text leaves out stays. */
  settings: Settings;
  findSecret: FindSecret;
  surroundings: Surroundings;
}

/** Notes a mistake; `place` is from the top of the text. */
type Report = (place: Place, reason: string, at?: 'key' | 'value') => void;

/** Throws an Error with every mistake, a line each, and a UsageError when it is no plain YAML. */
export async function readConfigText(text: string, options: ReadOptions): Promise<Settings> {
  const { file, sections } = options;
  const source = parseSource(file, text);
  const mistakes: string[] = [];
  // A name in the text may be of any length, with characters that a terminal obeys.
  const report: Report = (place, reason, at) =>
    mistakes.push(visibleText(source.mistake(place, reason, at).message, 1000));
  const refuse = () => {
    if (mistakes.length > 0) {
      const sorted = mistakes.toSorted(new Intl.Collator('en', { numeric: true }).compare);
      throw new Error(`nothing was changed, since the text has mistakes:\n${sorted.join('\n')}`);
    }
  };
  const given = isObject(source.value) ? source.value : {};
  if (given.version !== textVersion) {
    report(
      ['version'],
      `version must be ${textVersion}: this gatehouse reads no other form of the text; take the one that wrote it, or export again`,
    );
  }
  refuse();
  for (const name of Object.keys(given)) {
    if (name !== 'version' && !sections.some((section) => section.name === name)) {
      report([name], `${name} is no section; known: ${sections.map((one) => one.name).join(', ')}`, 'key');
    }
  }
  let settings = options.settings;
  for (const section of sections) {
    if (Object.hasOwn(given, section.name)) {
      settings = await applySection(section, given[section.name], { ...options, settings }, report);
    }
  }
  refuse();
  return settings;
}

async function applySection(section: Section, given: unknown, options: ReadOptions, report: Report): Promise<Settings> {
  const { settings, surroundings } = options;
  const unresolved = new Set<string>();
  const body = mapSecretSpots(section, given, (spot) => {
    const secret = resolveSecret(section, spot, options);
    if ('mistake' in secret) {
      unresolved.add(spot.place.join('.'));
      report([section.name, ...spot.place], `${[section.name, ...spot.place].join('.')} ${secret.mistake}`);
      return undefined;
    }
    return secret.value;
  });
  // A section that the hub has already is not judged again, because this command may run with other variables.
  if (isDeepStrictEqual(body, section.show(settings))) {
    return settings;
  }
  const parsed = readInput(section.body, body);
  if (!parsed.success) {
    const issues = parsed.error.issues.filter(({ path }) => !unresolved.has(path.join('.')));
    for (const issue of issues) {
      reportIssue(section, issue, report);
    }
    return settings;
  }
  if (unresolved.size > 0) {
    return settings;
  }
  try {
    return await section.apply(settings, parsed.data, surroundings);
  } catch (error) {
    const refusals = error instanceof AggregateError ? error.errors : [error];
    for (const refusal of refusals) {
      reportRefusal(section, refusal, report);
    }
    return settings;
  }
}

type Resolved = { value: unknown } | { mistake: string };

function resolveSecret(section: Section, spot: Spot, { settings, findSecret }: ReadOptions): Resolved {
  const { value } = spot;
  if (value === null || value === undefined) {
    return { value: value === null ? section.noSecret : undefined };
  }
  const name = isObject(value) && Object.keys(value).length === 1 ? value.secret : null;
  if (typeof name !== 'string' || !/^[\w.-]{1,200}$/.test(name)) {
    return {
      mistake:
        'must be null or { secret: NAME }, with a NAME of letters, digits, _, - and dots: no secret stands in this text',
    };
  }
  const secret = findSecret(name) ?? findStored(section, spot, section.show(settings));
  return typeof secret === 'string' && secret !== ''
    ? { value: secret }
    : { mistake: `needs the secret ${name}: give it with --secrets FILE or in the environment` };
}

/** Returns the secret that the hub has at the same place, unless it was saved for another host. */
function findStored({ bound, findSame }: Section, { place, holder }: Spot, shown: unknown): unknown {
  const isElement = typeof place[0] === 'number';
  const stored = isElement ? findSame?.(shown as unknown[], holder) : shown;
  const isMoved = bound.some((member) => {
    const next = getAt(holder, member.split('.'));
    return next !== undefined && !isDeepStrictEqual(next, getAt(stored, member.split('.')));
  });
  return isMoved ? undefined : getAt(stored, isElement ? place.slice(1) : place);
}

function reportIssue({ name }: Section, issue: z.core.$ZodIssue, report: Report): void {
  const place = [name, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      report([...place, key], `${[...place, key].join('.')} ${issue.message}`, 'key');
    }
  } else {
    report(place, `${place.join('.')} ${issue.message}`);
  }
}

function reportRefusal({ name }: Section, refusal: unknown, report: Report): void {
  const { field, message } = toTextMistake(refusal);
  const steps = field === '' ? [] : field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  report([name, ...steps], `${name}: ${message}`);
}
