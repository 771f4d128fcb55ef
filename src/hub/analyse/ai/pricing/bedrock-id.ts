// Ids of models in AWS Bedrock: what an ARN names, and whether a request with an id may be answered anywhere in the world.

/** Resources that have the price of the model they name. Other ones (`application-inference-profile`, …) name none. */
const named = /^arn:aws:bedrock:[a-z0-9-]*:\d*:(?:foundation-model|inference-profile)\/([^/]+)$/;

/** The id of a foundation model or of an inference profile; null of an ARN that names neither. */
export function parseBedrockId(model: string): string | null {
  return model.startsWith('arn:') ? (named.exec(model)?.[1] ?? null) : model;
}

/** Requests to a profile `global.` may be answered in any region; others stay in one, or in those of a geography. */
export function toRouting(id: string): 'global' | 'non-global' {
  return /^global\./i.test(id) ? 'global' : 'non-global';
}
