// The hub's description of its own API.
import { apiDescription } from '#contract/description.ts';
import { api } from '#contract/index.ts';
import { describeOpenApi } from '#kernel/http/describe.ts';

/** The document of `/api/openapi.json` and of docs/openapi.json. */
export function openApi(version: string): Record<string, unknown> {
  return describeOpenApi(api, apiDescription(version));
}
