// Handlers of the data sources: which logs are followed, and how that goes.
import type { z } from 'zod';
import { type configRoutes, type DataSourceName, dataSourceNames } from '#contract/config.ts';
import { refuseField } from '#kernel/errors.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Settings } from '../../base/settings/schema.ts';
import type { DataSources } from './data-sources.ts';
import { checkLogPath } from './log-path.ts';

export type DataSourceHandlers = RouteHandlers<'config', 'dataSources' | 'saveDataSources'>;
type Stored = Settings['dataSources'];

export function dataSourceHandlers({
  document,
  dataSources,
  pathPrefixes,
}: {
  document: SettingsDocument;
  dataSources: DataSources;
  pathPrefixes: readonly string[];
}): DataSourceHandlers {
  const shown = () => {
    const stored = document.current().dataSources;
    const one = (name: DataSourceName) => ({ ...stored[name], ...dataSources.status(name) });
    return { dns: one('dns'), inspect: one('inspect'), dhcp: one('dhcp') };
  };
  return {
    dataSources: shown,
    async saveDataSources({ body }) {
      // What others saved while the paths were looked at counts: the change is then checked again, on top of it.
      for (let isSaved = false; !isSaved; ) {
        const before = document.current().dataSources;
        const changed = await changedSources(before, body, pathPrefixes);
        if (document.current().dataSources === before) {
          document.update((all) => ({ ...all, dataSources: changed }));
          isSaved = true;
        }
      }
      await dataSources.apply();
      return { success: true, ...shown() };
    },
  };
}

export async function changedSources(
  before: Stored,
  body: z.output<(typeof configRoutes)['saveDataSources']['body']>,
  pathPrefixes: readonly string[],
): Promise<Stored> {
  const changed = { ...before };
  for (const name of dataSourceNames) {
    const change = body[name];
    if (change) {
      const { enabled = before[name].enabled, logFile = before[name].logFile } = change;
      const usable = await usablePath(name, { enabled, logFile }, pathPrefixes);
      changed[name] = { enabled, logFile: usable };
    }
  }
  return changed;
}

async function usablePath(
  name: DataSourceName,
  { enabled, logFile }: { enabled: boolean; logFile: string },
  pathPrefixes: readonly string[],
): Promise<string> {
  if (logFile === '') {
    if (enabled) {
      throw refuseField('log_path_rejected', `${name}.logFile`, 'is missing: say which file to follow', 'missing');
    }
    return '';
  }
  const checked = await checkLogPath(logFile, pathPrefixes);
  if ('refusal' in checked) {
    throw refuseField('log_path_rejected', `${name}.logFile`, checked.refusal, checked.problem);
  }
  return checked.path;
}
