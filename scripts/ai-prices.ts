// `npm run ai-prices -- VERSION PUBLISHED`: makes the price catalog from the installed @pydantic/genai-prices.
//
//   VERSION    the day on which it is made; requests store it
//   PUBLISHED  the day on which the installed version of the source was published: npm view @pydantic/genai-prices time
import { writeFileSync } from 'node:fs';
import { openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { buildCatalog } from './ai-prices/build.ts';

const out = new URL('../src/hub/analyse/ai/pricing/catalog.json', import.meta.url);

const [version, published] = process.argv.slice(2);
if (version === undefined || published === undefined) {
  console.error('usage: npm run ai-prices -- VERSION PUBLISHED (dates such as 2026-09-23)');
  process.exitCode = 2;
} else {
  const catalog = buildCatalog({ version, published });
  openCatalog(catalog);
  writeFileSync(out, `${JSON.stringify(catalog, null, 2)}\n`);
  console.log(`${catalog.entries.length} prices of ${catalog.source.name} ${catalog.source.version}`);
}
