// The committed price catalog against the source that is installed: an update of the source shows as a diff to review.
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { toDate, utcTime } from '#kernel/time/clock.ts';
import { buildCatalog } from '../../../../scripts/ai-prices/build.ts';

const file = new URL('../../../../src/hub/analyse/ai/pricing/catalog.json', import.meta.url);
const committed = JSON.parse(readFileSync(file, 'utf8'));
const entries: { provider: 'cloud_a' | 'cloud_b' | 'cloud_c'; examples: string[] }[] = committed.entries;
const at = utcTime(2026, 11, 25);

test('it is what npm run ai-prices makes of the installed source', () => {
  const { catalogVersion: version, source } = committed;
  const remedy = 'run npm run ai-prices -- VERSION PUBLISHED and review the diff';
  expect(buildCatalog({ version, published: source.published }), remedy).toEqual(committed);
  expect(readFileSync(file, 'utf8'), remedy).toBe(`${JSON.stringify(committed, null, 2)}\n`);
});

test('every example costs what the source itself computes, for a prompt as large as those of the hub', () => {
  const prices = openCatalog();
  const sources = { cloud_a: 'anthropic', cloud_b: 'openai', cloud_c: 'aws' } as const;
  const usage = { input_tokens: 20_000, output_tokens: 2000 };
  let compared = 0;
  for (const entry of entries) {
    for (const example of entry.examples) {
      const [provider, price] = [entry.provider, prices.find(entry.provider, example, at)];
      const said = ['', '-v1:0', '-20240620', '-20250929']
        .map((tail) => calcPrice(usage, example + tail, { providerId: sources[provider], timestamp: toDate(at) }))
        .find((answer) => answer !== null);
      if (price && said) {
        const cost =
          (usage.input_tokens * price.inputUsdPerMillion + usage.output_tokens * price.outputUsdPerMillion) / 1e6;
        expect([example, cost]).toEqual([example, expect.closeTo(said.total_price, 12)]);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(300);
});
