// Families of models: the names of which one price holds, with the dates and versions that may follow them.
import {
  listModels,
  listNames,
  listRates,
  type ModelInfo,
  modelNamed,
  type Rates,
  type SourceProvider,
} from './source.ts';

export interface Family {
  /** Its part of the id of an entry. */
  name: string;
  routing: 'any' | 'global' | 'non-global';
  pattern: string;
  examples: string[];
  rates: readonly Rates[];
  /** What was assumed. */
  notes: string[];
}

/** Models that answer with text. */
const kinds: Readonly<Record<SourceProvider, RegExp>> = {
  anthropic: /^claude-(?!2|v1)/,
  openai: /^(?:gpt-(?:4\.1|4o|[5-9])|o\d)/,
  aws: /^[a-z]+\.[a-z]/,
};
const special = /audio|image|realtime|transcribe|tts|search|research|extended|embed|sonic|voxtral|[-.:]ft[-:]/;

/** What the source prices only as the beginning of another name. */
const successors: Readonly<Record<string, string>> = { 'claude-sonnet-5': 'claude-sonnet-5-5' };

const datedTails = { anthropic: String.raw`(?:-latest|[-@]\d{8})?`, openai: String.raw`(?:-latest|-\d{4}-\d\d-\d\d)?` };
const dates = { anthropic: '-20260901', openai: '-2026-09-01' };
const bedrockTail = String.raw`(?:-\d{8})?(?:-v\d+)?(?::\d+)?`;
const profiles = ['us.', 'eu.', 'apac.', 'jp.', 'au.'];

/** Of Anthropic and OpenAI: the names of a model, with any date. */
export function datedFamilies(provider: 'anthropic' | 'openai'): Family[] {
  const models = listModels(provider).models.filter((model) => isText(provider, model.id));
  const families = models.map((model) => {
    const bare = listNames(model).map((name) => withoutEnd(name, /(?:-latest|[-@](?:20[\d-]*)?)$/));
    const names = [...new Set(bare.flatMap((name) => [name, ...successor(name)]))].filter(
      (name) => isText(provider, name) && modelNamed(provider, name) === model,
    );
    return { model, names, form: `${oneOf(names)}${datedTails[provider]}` };
  });
  return families.flatMap(({ model, names, form }) => {
    const name = withoutEnd(model.id, /-latest$/);
    const others = models.filter((other) => other !== model).flatMap((other) => listNames(other));
    const taken = [...new Set(others)].filter(
      (other) => new RegExp(`^${form}$`).test(other) && modelNamed(provider, other) !== model,
    );
    const except = taken.length === 0 ? '' : `(?!${oneOf(taken)}$)`;
    const examples = names.flatMap((one) => [one, `${one}${dates[provider]}`]);
    const notes = names.filter((one) => one === successors[name]).map((one) => successorNote(one, name));
    return oneFamily({ name, routing: 'any', pattern: `^${except}${form}$`, examples, rates: listRates(model), notes });
  });
}

/** Of AWS Bedrock: one for all routings where they have one price, else one for each price. */
export function bedrockFamilies(): Family[] {
  const bare = (id: string) => withoutEnd(id.replace(/^(?:global|regional)\./, ''), new RegExp(`${bedrockTail}$`));
  const models = listModels('aws').models.filter(({ id }) => isText('aws', bare(id)));
  const names = [...new Set(models.map(({ id }) => bare(id)))];
  return names.flatMap((name) => {
    const tails = models
      .filter(({ id }) => bare(id) === name)
      .map(({ id }) => id.slice(id.indexOf(name) + name.length));
    const known = [name, ...successor(name)];
    const byPrice = Map.groupBy(['', ...profiles, 'global.'], (profile) =>
      JSON.stringify(
        bedrockRates(
          known.map((one) => profile + one),
          [...new Set(['', '-v1:0', ...tails])],
        ),
      ),
    );
    return [...byPrice].flatMap(([price, prefixes]) => {
      const pattern = `^${optional(prefixes)}${oneOf(known)}${bedrockTail}$`;
      const examples = prefixes.flatMap((prefix) => known.map((one) => prefix + one));
      const notes = known.filter((one) => one !== name).map((one) => successorNote(one, name));
      const routing = prefixes.includes('global.') ? (prefixes.length > 1 ? 'any' : 'global') : 'non-global';
      return oneFamily({ name, routing, pattern, examples, rates: JSON.parse(price), notes });
    });
  });
}

/** Of the models that the source finds for any of these ids. */
function bedrockRates(names: readonly string[], tails: readonly string[]): Rates[] {
  const models = names.flatMap((name) => tails.map((tail) => modelNamed('aws', name + tail)));
  const found = new Set(
    models.filter((model): model is ModelInfo => model !== null).map((one) => JSON.stringify(listRates(one))),
  );
  if (found.size > 1) {
    throw new Error(`the source has several prices of ${names.join(', ')}`);
  }
  return [...found].flatMap((rates) => JSON.parse(rates));
}

/** None without a rate, or whose names the source prices as those of another model. */
const oneFamily = (family: Family): Family[] =>
  family.rates.length === 0 || family.examples.length === 0 ? [] : [family];

function isText(provider: SourceProvider, name: string): boolean {
  return kinds[provider].test(name) && !special.test(name);
}

function successor(name: string): string[] {
  const [vendor = '', model = ''] =
    /^(.*\.)?([^.]+)$/
      .exec(name)
      ?.slice(1)
      .map((part) => part ?? '') ?? [];
  const next = successors[model];
  return next === undefined ? [] : [vendor + next];
}

const successorNote = (next: string, name: string) => `The source has ${next} only as an id that begins with ${name}.`;

function optional(prefixes: readonly string[]): string {
  const named = prefixes.filter((prefix) => prefix !== '').map((prefix) => prefix.slice(0, -1));
  const group = named.length === 1 ? `${named[0]}\\.` : `(?:${named.join('|')})\\.`;
  return named.length === 0 ? '' : prefixes.includes('') ? `(?:${group})?` : group;
}

function withoutEnd(name: string, end: RegExp): string {
  const shorter = name.replace(end, '');
  return shorter === name ? name : withoutEnd(shorter, end);
}

function oneOf(names: readonly string[]): string {
  const all = names.map(escaped).join('|');
  return names.length === 1 ? all : `(?:${all})`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
