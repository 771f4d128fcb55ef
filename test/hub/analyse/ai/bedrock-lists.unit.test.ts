// Which of what AWS lists is offered: pages, kinds of models, profiles and guardrails, and lists that fail.
import { expect, test } from 'vitest';
import type { Clients } from '#hub/analyse/ai/providers/bedrock/clients.ts';
import { createBedrockLists } from '#hub/analyse/ai/providers/bedrock/lists.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

type Answers = Record<string, (input: Record<string, unknown>, signal: AbortSignal) => object | Promise<object>>;

/** Lists over a client of AWS that answers each command as `answers` says. */
function listing(answers: Answers) {
  const asked: string[] = [];
  const warned: string[] = [];
  const client = {
    async send(
      { constructor: { name }, input }: { constructor: { name: string }; input: Record<string, unknown> },
      { abortSignal }: { abortSignal: AbortSignal },
    ) {
      asked.push(`${name} ${JSON.stringify(input)}`);
      return (await answers[name]?.(input, abortSignal)) ?? {};
    },
  };
  const clients = {
    control: (_region: string, _signal: AbortSignal, use: (one: typeof client) => unknown) => use(client),
  };
  const log = { warn: (text: string) => void warned.push(text) };
  const clock = new ManualClock();
  const lists = createBedrockLists(clock, log as never, clients as unknown as Clients);
  return { lists, asked, warned, clock, signal: new AbortController().signal };
}

const model = (modelId: string, more: object = {}) => ({
  ...{
    modelId,
    inputModalities: ['TEXT'],
    outputModalities: ['TEXT'],
    inferenceTypesSupported: ['ON_DEMAND'],
    ...more,
  },
});
const modelSummaries = [
  model('plain'),
  model('active', { modelLifecycle: { status: 'ACTIVE' }, inputModalities: ['IMAGE', 'TEXT'] }),
  model('legacy', { modelLifecycle: { status: 'LEGACY' } }),
  model('by-profile', { inferenceTypesSupported: ['INFERENCE_PROFILE'] }),
  model('unsaid', { inferenceTypesSupported: undefined }),
  model('paints', { outputModalities: ['TEXT', 'PICTURE'] }),
  model('hears', { inputModalities: ['SOUND'] }),
  model('says-nothing', { inputModalities: undefined }),
  model('unsaid-output', { outputModalities: undefined }),
];
const profile = (inferenceProfileId: string, ids: string[] | undefined, status = 'ACTIVE') => ({
  ...{
    inferenceProfileId,
    status,
    models: ids?.map((id) => ({ modelArn: `arn:aws:bedrock:x::foundation-model/${id}` })),
  },
});
const inferenceProfileSummaries = [
  profile('p-known', ['paints', 'by-profile']),
  profile('p-legacy', ['legacy']),
  profile('p-other', ['paints', 'unknown']),
  profile('p-inactive', ['plain'], 'INACTIVE'),
  profile('p-empty', []),
  profile('p-unsaid', undefined),
  { ...profile('p-nameless', ['plain']), models: [{}] },
];
const offered = ['active', 'plain', 'unsaid-output'];

test('models that answer with text alone and can be asked by their id, and active profiles that lead to one', async () => {
  const { lists, signal, asked, warned } = listing({
    ListFoundationModelsCommand: () => ({ modelSummaries }),
    ListInferenceProfilesCommand: () => ({ inferenceProfileSummaries }),
  });
  expect(await lists.models('eu', signal)).toEqual([...offered, 'p-empty', 'p-known', 'p-legacy', 'p-unsaid'].sort());
  expect(asked).toEqual(
    expect.arrayContaining([
      'ListFoundationModelsCommand {"byOutputModality":"TEXT"}',
      'ListInferenceProfilesCommand {"maxResults":100}',
    ]),
  );
  expect(warned).toEqual([]);
});

test('one list that fails leaves the other; both are empty when nothing is said', async () => {
  const fails = () => Promise.reject(new Error('no\u0000permission'));
  const withoutModels = listing({
    ListFoundationModelsCommand: fails,
    ListInferenceProfilesCommand: () => ({ inferenceProfileSummaries }),
  });
  expect(await withoutModels.lists.models('eu', withoutModels.signal)).toEqual([
    ...['p-empty', 'p-known', 'p-legacy', 'p-nameless', 'p-other', 'p-unsaid'],
  ]);
  expect(withoutModels.warned).toEqual(['AWS Bedrock listed no models of eu: no permission']);
  const withoutProfiles = listing({
    ListFoundationModelsCommand: () => ({ modelSummaries }),
    ListInferenceProfilesCommand: fails,
  });
  expect(await withoutProfiles.lists.models('eu', withoutProfiles.signal)).toEqual(offered);
  expect(withoutProfiles.warned).toHaveLength(1);
  const silent = listing({});
  expect(await silent.lists.models('eu', silent.signal)).toEqual([]);
  expect(await silent.lists.guardrails('eu', silent.signal)).toEqual([]);
  const failing = listing({ ListGuardrailsCommand: fails });
  expect(await failing.lists.guardrails('eu', failing.signal)).toEqual([]);
});

test('a list is read over its pages, 20 at most, and not again when a page names itself', async () => {
  let page = 0;
  const pages = (last: number) => () => {
    page += 1;
    const inferenceProfileSummaries = [profile(`p-${String(page).padStart(2, '0')}`, [])];
    return { inferenceProfileSummaries, ...(page < last ? { nextToken: `t${page}` } : {}) };
  };
  for (const [last, read] of [
    [3, 3],
    [20, 20],
    [21, 20],
    [99, 20],
  ] as const) {
    page = 0;
    const { lists, signal, asked } = listing({ ListInferenceProfilesCommand: pages(last) });
    expect((await lists.models('eu', signal)).length).toBe(read);
    expect(asked.filter((one) => one.includes('"nextToken":"t1"'))).toHaveLength(1);
  }
  const same = listing({
    ListInferenceProfilesCommand: () => ({ inferenceProfileSummaries: [profile('p', [])], nextToken: 't' }),
  });
  expect(await same.lists.models('eu', same.signal)).toEqual(['p']);
  expect(same.asked.filter((one) => one.startsWith('ListInference'))).toHaveLength(2);
});

test('guardrails come with their versions, five asked at a time, a hundred at most; one without an id is left out', async () => {
  let [now, most] = [0, 0];
  const all = Array.from({ length: 101 }, (_, index) => ({
    id: `g${index}`,
    arn: `arn${index}`,
    name: `Name\u0000 ${index}`,
  }));
  const { lists, signal, asked } = listing({
    async ListGuardrailsCommand({ guardrailIdentifier: id }) {
      if (id === undefined) {
        return { guardrails: [{ name: 'no id' }, { id: 'bare' }, ...all] };
      }
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
      return id === 'g0'
        ? { guardrails: ['10', 'DRAFT', '9', '9', 'x1', '1x', undefined].map((version) => ({ version })) }
        : {};
    },
  });
  const found = await lists.guardrails('eu', signal);
  expect(found.slice(0, 3)).toEqual([
    { id: 'bare', arn: null, name: '', versions: ['DRAFT'] },
    { id: 'g0', arn: 'arn0', name: 'Name\ufffd 0', versions: ['DRAFT', '9', '10'] },
    { id: 'g1', arn: 'arn1', name: 'Name\ufffd 1', versions: ['DRAFT'] },
  ]);
  expect([found.length, found.at(-1)?.id, most]).toEqual([99, 'g97', 5]);
  expect(asked).toContain('ListGuardrailsCommand {"guardrailIdentifier":"g0","maxResults":100}');
});

test('a list that is late is empty after ten seconds; a caller who leaves is told so', async () => {
  const { lists, signal, clock, warned } = listing({
    ListGuardrailsCommand: (_, ended) =>
      new Promise((_resolve, reject) => {
        ended.throwIfAborted();
        ended.addEventListener('abort', () => reject(ended.reason));
      }),
  });
  const late = lists.guardrails('eu', signal);
  await clock.advance(9999);
  expect(warned).toEqual([]);
  await clock.advance(1);
  expect([await late, warned]).toEqual([[], ['AWS Bedrock listed no guardrails of eu: no answer within 10 s']]);
  const leaving = new AbortController();
  const asked = lists.guardrails('eu', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
  expect(warned).toHaveLength(1);
});
