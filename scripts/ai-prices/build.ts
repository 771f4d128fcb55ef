// The price catalog from the installed source.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import type { Catalog, CatalogEntry } from '#hub/analyse/ai/pricing/catalog.ts';
import { bedrockFamilies, datedFamilies, type Family } from './families.ts';
import { listModels, type Rates, type SourceProvider } from './source.ts';

const name = '@pydantic/genai-prices';
/** Prices whose beginning the source does not name hold from here: no hub could ask for one before. */
const first = '2026-01-01';
const maxPromptKib = 64;

/** `version` and `published`, when the source was published, are dates. */
export function buildCatalog({ version, published }: { version: string; published: string }): Catalog {
  const entries = [
    ...entriesOf('cloud_a', 'anthropic', datedFamilies('anthropic'), version),
    ...entriesOf('cloud_b', 'openai', datedFamilies('openai'), version),
    ...entriesOf('cloud_c', 'aws', bedrockFamilies(), version),
  ];
  const source = { name, ...manifest(), url: 'https://github.com/pydantic/genai-prices', published };
  return { schemaVersion: 1, catalogVersion: version, currency: 'USD', source, entries };
}

function manifest() {
  const file = path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'package.json');
  const fields = z.object({ version: z.string(), license: z.string() });
  const { version, license } = fields.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { version, licence: license };
}

/** Without prices that ended before the first day, or begin after the version. */
function entriesOf(
  provider: CatalogEntry['provider'],
  source: SourceProvider,
  families: readonly Family[],
  version: string,
): CatalogEntry[] {
  const { url } = listModels(source);
  return families.flatMap((family) =>
    family.rates
      .filter(({ from, to }) => (to ?? version) > first && (from ?? first) <= version)
      .map((rates) => entryOf(family, rates, { provider, source, url, version })),
  );
}

function entryOf(
  { name: family, routing, pattern, examples, notes }: Family,
  { from, to, input, output, cacheRead, cacheWrite, tier }: Rates,
  {
    provider,
    source,
    url,
    version,
  }: { provider: CatalogEntry['provider']; source: string; url: string; version: string },
): CatalogEntry {
  const routed = routing === 'any' ? '' : `/${routing}`;
  const said = [
    ...(tier === null
      ? []
      : [`Rates of prompts of fewer than ${tier + 1} tokens: those of the hub have at most ${maxPromptKib} KiB.`]),
    ...notes,
  ];
  return {
    id: `${source}/${family}${routed}${from === null ? '' : `@${from}`}`,
    provider,
    modelPattern: pattern,
    routing,
    inputUsdPerMillion: input,
    outputUsdPerMillion: output,
    ...(cacheRead === null ? {} : { cacheReadUsdPerMillion: cacheRead }),
    ...(cacheWrite === null ? {} : { cacheWriteUsdPerMillion: cacheWrite }),
    effectiveFrom: from ?? first,
    ...(to === null || to > version ? {} : { effectiveTo: to }),
    sourceUrl: url,
    ...(said.length === 0 ? {} : { note: said.join(' ') }),
    examples,
  };
}
