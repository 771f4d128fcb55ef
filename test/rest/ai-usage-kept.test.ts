// Rows of usage are appended and never change: whatever is restarted, updated, configured or restored.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Catalog, openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { appendRequests, open, storedRequests, usedRequest } from '../support/ai-usage-rows.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { budget, runs } from '../support/property-runs.ts';
import { verifies } from '../support/verifies.ts';

const month = async (lab: Lab<never>) => (await lab.as.admin.ai.monthlyUsage({ query: {} })).current;

/** A catalog of another version with one price, of gpt-7 at `usd` for input and output. */
function createCatalog(usd: number): Catalog {
  const published = '2026-02-01';
  return {
    ...{ schemaVersion: 1, catalogVersion: `2026-02-${String(10 + usd)}`, currency: 'USD' },
    source: { name: 'other', version: '1', licence: 'MIT', url: 'https://prices.example/', published },
    entries: [
      {
        ...{ id: 'seven', provider: 'cloud_b', modelPattern: '^gpt-7$', routing: 'any', examples: ['gpt-7'] },
        ...{ inputUsdPerMillion: usd, outputUsdPerMillion: usd, effectiveFrom: published },
        sourceUrl: 'https://prices.example/',
      },
    ],
  };
}

verifies(
  'rest.ai-usage.not-recalculated',
  'with a catalog of other prices months keep the cost of their time, also what was not known then',
  async () => {
    await using lab = await startLab();
    const at = lab.clock.now();
    appendRequests(lab, [
      usedRequest({ at, tokens: [1_000_000, 0] }),
      usedRequest({ at, model: 'gpt-7', tokens: [1_000_000, 0] }),
    ]);
    const before = await month(lab);
    expect(before).toMatchObject({ estimatedCostUsd: 2, pricedRequests: 1, unknownPriceRequests: 1 });
    await lab.restart({ priceCatalog: createCatalog(5) });
    expect(await month(lab)).toEqual(before);
    const { pricing } = await lab.as.admin.ai.monthlyUsage({ query: {} });
    expect(pricing).toMatchObject({ catalogVersion: '2026-02-15', effectiveFrom: '2026-02-01' });
    const check = (model: string) => lab.as.admin.ai.checkPricing({ body: { provider: 'cloud_b', model } });
    expect([(await check('gpt-7')).priced, (await check('gpt-6-sol')).priced]).toEqual([true, false]);
    const prices = openCatalog(createCatalog(5));
    appendRequests(lab, [usedRequest({ at, model: 'gpt-7', tokens: [1_000_000, 0] }, prices)]);
    expect(await month(lab)).toMatchObject({ estimatedCostUsd: 7, pricedRequests: 2, unknownPriceRequests: 1 });
  },
);

test('a hub does not start with a catalog that has a fault', async () => {
  await using lab = await startLab();
  await lab.stop();
  const [entry] = createCatalog(5).entries;
  const faulty = { ...createCatalog(5), entries: [entry, entry] };
  await expect(lab.restart({ priceCatalog: faulty })).rejects.toThrow(
    /price catalog cannot be used: seven is there twice/,
  );
});

test('the database refuses to change or to delete a row', async () => {
  await using lab = await startLab();
  appendRequests(lab, [usedRequest({ at: lab.clock.now() })]);
  const before = storedRequests(lab);
  const db = open(lab);
  try {
    for (const sql of [
      'UPDATE ai_usage SET cost_usd = 0',
      "UPDATE ai_usage SET price = NULL, pricing_version = '2030-01-01'",
      'DELETE FROM ai_usage',
    ]) {
      expect(() => db.exec(sql)).toThrow(/rows of ai_usage/);
    }
  } finally {
    db.close();
  }
  expect(storedRequests(lab)).toEqual(before);
});

type Step = 'append' | 'restart' | 'update' | 'configure' | 'back up' | 'restore';
const step = fc.constantFrom<Step>('append', 'append', 'restart', 'update', 'configure', 'back up', 'restore');

/** Runs the steps; after each of them the rows are those that were appended. */
async function holds(steps: readonly Step[]): Promise<void> {
  await using lab = await startLab();
  const backups: string[] = [];
  let catalog: Catalog | undefined;
  let count = 0;
  const model = () => (count % 3 === 0 ? 'gpt-7' : 'gpt-6-sol');
  const actions: Record<Step, () => unknown> = {
    append() {
      count += 1;
      const errorCode = count % 5 === 0 ? 'ai_failed' : null;
      const tokens = count % 4 === 0 ? null : ([count, count] as const);
      const asked = { at: lab.clock.now(), model: model(), tokens, errorCode };
      appendRequests(lab, [usedRequest(asked, openCatalog(catalog))]);
    },
    restart: () => lab.restart({ priceCatalog: catalog }),
    update() {
      catalog = createCatalog((count % 9) + 1);
      return lab.restart({ priceCatalog: catalog });
    },
    configure: () =>
      lab.as.admin.ai.saveConfig({
        body: { provider: count % 2 === 0 ? 'local' : 'disabled', models: { local: `model-${count}` } },
      }),
    async 'back up'() {
      const { name } = await lab.as.admin.backup.create({ body: {} });
      backups.push(name);
    },
    async restore() {
      const name = backups.at(-1);
      if (name !== undefined) {
        await lab.as.admin.backup.restore({ body: { name } });
      }
    },
  };
  let before = storedRequests(lab);
  for (const action of steps) {
    await actions[action]();
    await lab.settled();
    const now = storedRequests(lab);
    expect(now).toEqual(expect.arrayContaining(before));
    expect(now).toHaveLength(count);
    const { requests, unanswered } = await month(lab);
    expect([requests, unanswered.requests]).toEqual([count, Math.floor(count / 5)]);
    before = now;
  }
}

test('rows that were written after a backup are there when it is restored, as they were', () =>
  holds(['append', 'back up', 'append', 'append', 'append', 'restore', 'append', 'update', 'restore']));

test(`whatever happens, rows are added and none is altered: ${budget(3, 25, 'sequences')}`, () =>
  fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), holds), {
    numRuns: runs(3, 25),
    endOnFailure: true,
  }));
