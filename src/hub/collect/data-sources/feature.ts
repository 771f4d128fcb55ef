// Followed logs as a feature.

import type { Base, Feature } from '../../base/feature.ts';
import type { ConnectionsFeature } from '../../record/connections/feature.ts';
import { type ApplyFindingsOptions, createApplyFindings } from './apply-findings.ts';
import { startDataSources } from './data-sources.ts';
import { type DataSourceHandlers, dataSourceHandlers } from './handlers.ts';

export function startDataSourcesFeature(
  { clock, log, settings, options }: Base,
  {
    connections,
    ...peers
  }: Pick<ApplyFindingsOptions, 'enrichment' | 'devices' | 'marks'> & { connections: ConnectionsFeature },
): Feature<{ config: DataSourceHandlers }> {
  const pathPrefixes = options.logPathPrefixes ?? [];
  const dataSources = startDataSources({
    clock,
    log,
    settings: () => settings.current().dataSources,
    pathPrefixes,
    onFindings: createApplyFindings({ clock, settings, record: connections.record, ...peers }),
  });
  return {
    handlers: { config: dataSourceHandlers({ document: settings, dataSources, pathPrefixes }) },
    [Symbol.asyncDispose]: () => dataSources[Symbol.asyncDispose](),
  };
}
