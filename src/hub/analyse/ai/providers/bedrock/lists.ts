// What AWS Bedrock offers in a region: models, inference profiles, guardrails. A listing that fails is empty, because
// accounts may lack the permission for it and still generate.
import type { BedrockClient } from '@aws-sdk/client-bedrock';
import type { AiGuardrail } from '#contract/ai-config.ts';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { selectTextModels } from '../model-names.ts';
import type { Clients } from './clients.ts';

const pageSize = 100;
const mostPages = 20;
/** Guardrails whose versions are asked for at the same time. */
const atOnce = 5;

export type BedrockLists = ReturnType<typeof createBedrockLists>;

export function createBedrockLists(clock: Clock, log: Pick<Log, 'warn'>, clients: Clients) {
  /** What `list` finds within 10 s; `empty` when it fails. */
  const listWithinDeadline = async <T>(
    what: string,
    { region, signal, empty }: { region: string; signal: AbortSignal; empty: T },
    list: (client: BedrockClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const late = () => new Error(`no answer within ${limits.aiTestMs / 1000} s`);
    try {
      return await withDeadline(clock, limits.aiTestMs, late, signal, (inner) =>
        clients.control(region, inner, (client) => list(client, inner)),
      );
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`AWS Bedrock listed no ${what} of ${region}: ${visibleText(messageOf(error), 200, ' ')}`);
      return empty;
    }
  };
  return {
    /** Names of text models and active profiles, sorted, 200 at most. Rejects with the reason of the signal alone. */
    async models(region: string, signal: AbortSignal) {
      const [models, profiles] = await Promise.all([
        listWithinDeadline('models', { region, signal, empty: null }, listFoundationModels),
        listWithinDeadline('inference profiles', { region, signal, empty: [] }, listInferenceProfiles),
      ]);
      const leadsToText = ({ leadsTo }: Profile) =>
        models === null || leadsTo.length === 0 || leadsTo.some((id) => models.text.has(id));
      return selectTextModels([...(models?.onDemand ?? []), ...profiles.filter(leadsToText).map(({ id }) => id)]);
    },
    /** 100 at most, by name. Rejects with the reason of the signal alone. */
    guardrails: (region: string, signal: AbortSignal) =>
      listWithinDeadline('guardrails', { region, signal, empty: [] }, listGuardrails),
  };
}

/** Those that answer with text alone, and of these the ones that can be asked by their id. */
async function listFoundationModels(client: BedrockClient, abortSignal: AbortSignal) {
  const { ListFoundationModelsCommand } = await import('@aws-sdk/client-bedrock');
  const command = new ListFoundationModelsCommand({ byOutputModality: 'TEXT' });
  const { modelSummaries = [] } = await client.send(command, { abortSignal });
  const text = modelSummaries.filter(
    ({ inputModalities = [], outputModalities = [] }) =>
      inputModalities.includes('TEXT') && outputModalities.every((modality) => modality === 'TEXT'),
  );
  const onDemand = text.filter(
    ({ inferenceTypesSupported = [], modelLifecycle }) =>
      inferenceTypesSupported.includes('ON_DEMAND') && modelLifecycle?.status !== 'LEGACY',
  );
  return { text: new Set(text.map(({ modelId }) => modelId)), onDemand: onDemand.map(({ modelId }) => modelId) };
}

interface Profile {
  id: string | undefined;
  /** Ids of foundation models. */
  leadsTo: (string | undefined)[];
}

async function listInferenceProfiles(client: BedrockClient, abortSignal: AbortSignal): Promise<Profile[]> {
  const { ListInferenceProfilesCommand } = await import('@aws-sdk/client-bedrock');
  const summaries = await readPages(async (nextToken) => {
    const command = new ListInferenceProfilesCommand({ maxResults: pageSize, nextToken });
    const { inferenceProfileSummaries = [], nextToken: next } = await client.send(command, { abortSignal });
    return { rows: inferenceProfileSummaries, next };
  });
  return summaries
    .filter(({ status }) => status === 'ACTIVE')
    .map(({ inferenceProfileId, models = [] }) => ({
      id: inferenceProfileId,
      leadsTo: models.map(({ modelArn }) => modelArn?.split('/').at(-1)),
    }));
}

async function listGuardrails(client: BedrockClient, abortSignal: AbortSignal): Promise<AiGuardrail[]> {
  const { ListGuardrailsCommand } = await import('@aws-sdk/client-bedrock');
  const list = (guardrailIdentifier?: string) =>
    readPages(async (nextToken) => {
      const command = new ListGuardrailsCommand({ guardrailIdentifier, maxResults: pageSize, nextToken });
      const { guardrails = [], nextToken: next } = await client.send(command, { abortSignal });
      return { rows: guardrails, next };
    });
  const all = (await list()).slice(0, limits.aiGuardrails);
  const shown: AiGuardrail[] = [];
  for (let at = 0; at < all.length; at += atOnce) {
    const some = all.slice(at, at + atOnce).map(async ({ id = '', arn = null, name = '' }) => {
      const versions = (await list(id)).map(({ version = '' }) => version);
      return { id, arn, name: visibleText(name, limits.aiModelName), versions: sortVersions(versions) };
    });
    const versioned = await Promise.all(some);
    shown.push(...versioned);
  }
  return shown.filter(({ id }) => id !== '');
}

/** `DRAFT`, then the numbers upwards. */
function sortVersions(versions: readonly string[]): string[] {
  const numbers = [...new Set(versions)].filter((version) => /^\d+$/.test(version));
  return ['DRAFT', ...numbers.sort((one, other) => Number(one) - Number(other))];
}

/** The rows of the first 20 pages. */
async function readPages<T>(
  page: (nextToken: string | undefined) => Promise<{ rows: readonly T[]; next: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let token: string | undefined;
  for (let count = 0; count < mostPages; count += 1) {
    const { rows, next } = await page(token);
    all.push(...rows);
    if (next === undefined || next === token) {
      break;
    }
    token = next;
  }
  return all;
}
