// The status of the hub, collected from all features.
import { readFile } from 'node:fs/promises';
import { type FeatureName, featureNames } from '#contract/status.ts';
import { parseJson } from '#kernel/text/json.ts';
import type { Base, Feature, HubHandlers, RouteHandlers, StatusFacts } from '../../base/feature.ts';
import { toWarnings } from '../../base/statements.ts';
import { startWarnings } from './start-warnings.ts';

/** The file that `npm run pins` writes from the contract: an OpenAPI 3.1 document of all routes. */
const description = new URL('../../../../docs/openapi.json', import.meta.url);

/** `features` is called at each request. */
export function startStatusFeature(
  base: Base,
  features: () => readonly Feature[],
): Feature<{ status: RouteHandlers<'status', 'status' | 'openapi'> }> {
  const { clock, options, offline } = base;
  const startedAt = clock.now();
  const atStart = startWarnings(base);
  const status: HubHandlers['status']['status'] = async ({ principal }) => {
    const isAdmin = 'permissions' in principal && principal.permissions.has('auth.admin');
    const all: StatusFacts[] = await Promise.all(features().map(async (feature) => (await feature.status?.()) ?? {}));
    const { adminWarnings: _, ...facts } = Object.assign({}, ...all) as Required<StatusFacts>;
    const shown = all.flatMap(({ warnings = [], adminWarnings = [] }) => [
      ...warnings,
      ...(isAdmin ? adminWarnings : []),
    ]);
    return {
      ...facts,
      initialAdminTokenFile: isAdmin ? facts.initialAdminTokenFile : null,
      isPasswordInitial: isAdmin ? facts.isPasswordInitial : null,
      authenticated: true,
      features: featuresOf(all),
      ...toWarnings([...atStart, ...shown]),
      offlineMode: offline,
      version: options.version,
      commit: options.commit ?? null,
      uptimeMs: clock.now() - startedAt,
    };
  };
  return { handlers: { status: { status, openapi: readDescription } } };
}

async function readDescription(): Promise<Record<string, unknown>> {
  return parseJson(await readFile(description, 'utf8')) as Record<string, unknown>;
}

function featuresOf(all: readonly StatusFacts[]): Record<FeatureName, { enabled: boolean; reason: string | null }> {
  const absent = featureNames.map((name) => [name, { enabled: false, reason: 'not_in_this_version' }]);
  return Object.assign(Object.fromEntries(absent), ...all.map(({ features }) => features));
}
