// `cloud_c`, its control plane: foundation models, inference profiles and guardrails as Bedrock lists them.
import { isoTime } from '#kernel/time/clock.ts';
import { refuseAsBedrock } from './bedrock-errors.ts';
import type { Exchange, ProviderApi } from './provider.ts';
import { asJson, type Reply } from './reply.ts';
import { type AiSettings, listOffers } from './settings.ts';
import { signatureRefusal } from './signature.ts';

const account = '111122223333';
const createdAt = isoTime(1_780_272_000_000);

/** Begin of the ARNs of a region. */
const arn = (region: string, owner: string) => `arn:aws:bedrock:${region}:${owner}`;

export const bedrockControl: ProviderApi = {
  refuse: refuseAsBedrock,
  answer(exchange) {
    const refusal = signatureRefusal(exchange);
    if (refusal) {
      return refusal;
    }
    const { method, path, query } = exchange.request;
    const list = method === 'GET' && Object.hasOwn(lists, path) ? lists[path as keyof typeof lists] : undefined;
    return list
      ? list(exchange, new URLSearchParams(query))
      : refuseAsBedrock('not-found', `Unable to determine the operation of ${method} ${path}`);
  },
};

const lists = {
  '/foundation-models': ({ settings }: Exchange, query: URLSearchParams): Reply => {
    const [modality, type, maker] = ['byOutputModality', 'byInferenceType', 'byProvider'].map((name) =>
      query.get(name),
    );
    const found = listOffers(settings).foundationModels.filter(
      ({ outputModalities, inferenceTypesSupported, providerName }) =>
        (!modality || outputModalities.includes(modality)) &&
        (!type || inferenceTypesSupported.includes(type)) &&
        (!maker || providerName.toLowerCase() === maker.toLowerCase()),
    );
    const modelSummaries = found.map(({ status, ...model }) => ({
      modelArn: `${arn(settings.region, '')}:foundation-model/${model.modelId}`,
      ...model,
      responseStreamingSupported: true,
      customizationsSupported: [],
      modelLifecycle: { status },
    }));
    return asJson({ modelSummaries });
  },

  '/inference-profiles': ({ settings }: Exchange, query: URLSearchParams): Reply => {
    const type = query.get('type');
    const rows = listOffers(settings)
      .profiles.filter((profile) => !type || profile.type === type)
      .map(({ models, ...profile }) => ({
        ...profile,
        inferenceProfileArn: profileArn(settings, profile),
        description: `Routes requests to ${models.join(', ')}.`,
        createdAt,
        updatedAt: createdAt,
        models: models.map((id) => ({ modelArn: `${arn(settings.region, '')}:foundation-model/${id}` })),
        status: 'ACTIVE',
      }));
    return page('inferenceProfileSummaries', rows, settings, query);
  },

  '/guardrails': ({ settings }: Exchange, query: URLSearchParams): Reply => {
    const asked = query.get('guardrailIdentifier');
    const named = settings.guardrails.filter(({ id }) => asked === null || id === asked || asked.endsWith(`/${id}`));
    if (asked !== null && named.length === 0) {
      return refuseAsBedrock('invalid', `The guardrail ${asked} does not exist.`);
    }
    const rows = named.flatMap(({ id, name, versions }) =>
      (asked === null ? ['DRAFT'] : ['DRAFT', ...versions]).map((version) => ({
        id,
        arn: `${arn(settings.region, account)}:guardrail/${id}`,
        status: 'READY',
        name,
        version,
        createdAt,
        updatedAt: createdAt,
      })),
    );
    return page('guardrails', rows, settings, query);
  },
};

export function profileArn(
  { region }: AiSettings,
  { inferenceProfileId, type }: { inferenceProfileId: string; type: string },
) {
  const kind = type === 'APPLICATION' ? 'application-inference-profile' : 'inference-profile';
  return `${arn(region, account)}:${kind}/${inferenceProfileId}`;
}

/** One page of rows under `name`; the token of the next one is the number of the first row on it. */
function page(name: string, rows: readonly object[], { pageLimit }: AiSettings, query: URLSearchParams): Reply {
  const most = Number(query.get('maxResults') ?? 100);
  const start = Number(query.get('nextToken') ?? 0);
  if (!Number.isInteger(most) || most < 1 || most > 1000 || !Number.isInteger(start) || start < 0) {
    return refuseAsBedrock('invalid', 'maxResults is from 1 to 1000, and nextToken comes from the page before.');
  }
  const end = start + Math.min(most, pageLimit);
  return asJson({ [name]: rows.slice(start, end), ...(end < rows.length ? { nextToken: String(end) } : {}) });
}
