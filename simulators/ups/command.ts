// `gatehouse sim ups`.
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { optionText, optionWord, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { adoptCommand } from './adopt/command.ts';
import { upsControlRoutes } from './control.ts';
import { diffCommand } from './diff/command.ts';
import { requireFaultOptions, upsFaults } from './faults.ts';
import { builtInVersion, type CapturedPages, findVersionPages, readCapturedPages } from './pages/captured-pages.ts';
import { localeNames } from './pages/locales.ts';
import { startUps, type UpsOptions } from './ups.ts';
import type { Model } from './values.ts';

const hint = 'what the product leaves open was chosen for this start, to be hard to read; --seed 0 is the plain one';

const modelNames = ['backups', 'smart'] as const satisfies readonly Model[];

export const upsOptions = {
  locale: {
    takes: 'NAME',
    says: `display language: ${localeNames.join(', ')} (en)`,
    api: 'settings.locale',
  },
  model: {
    takes: 'NAME',
    says: `${modelNames.join(' or ')}: six measurements or twelve (${modelNames[0]})`,
    api: 'settings.model',
  },
  'product-version': {
    takes: 'V',
    says: `product version: ${builtInVersion}, or another folder of fixtures/ups (${builtInVersion})`,
    api: 'version',
  },
  pages: {
    takes: 'DIR',
    says: 'serves saved pages: status.LANG.html, logon.LANG.html, as upsget --snapshot writes them',
    api: 'pages',
    alone: true,
    isFile: true,
  },
} satisfies OptionTable<ApiName<UpsOptions>>;

export const upsCommand: SimulatorCommand = {
  kind: 'ups',
  ports: { port: 6547, control: 2934 },
  help: {
    title: 'UPS',
    more: `  --seed N                 chooses what the product leaves open; without it every start chooses anew, which is a hard
                           target on purpose. --seed 0 is the plain one, as in fixtures/ups

  ups diff OLD NEW         compares the element ids of two folders of saved pages
  ups adopt DIR            makes fixtures of the pages of a new version, and names the lines of upsget to change
`,
  },
  options: upsOptions,
  faults: upsFaults,
  checkFault: requireFaultOptions,
  verbs: { diff: diffCommand, adopt: adoptCommand },
  plan(given) {
    const version = optionText(given, 'product-version') ?? builtInVersion;
    const versionPages = readVersionPages(version);
    const pages = optionText(given, 'pages') ?? versionPages;
    const captured = pages === null ? null : readSavedPages(pages);
    const locale = optionWord(given, 'locale', captured?.locales ?? localeNames);
    const model = optionWord(given, 'model', modelNames);
    return async (starting) => {
      const { options, stack, seed } = starting;
      const ups = stack.use(
        await startUps({
          ...options,
          ...(seed === null ? {} : { seed }),
          ...(pages === null ? {} : { pages }),
          settings: { locale, model },
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated UPS',
        control: ups,
        extra: upsControlRoutes(ups),
      });
      const { user, password } = ups.credentials;
      return {
        url: ups.url.origin,
        control,
        user,
        password,
        version,
        locale,
        model,
        ...(pages === null ? {} : { pages }),
        fingerprint256: ups.fingerprint256,
        seed: ups.state().seed,
        ...(seed === null ? { hint } : {}),
      };
    };
  },
};

function readVersionPages(version: string): string | null {
  try {
    return findVersionPages(version);
  } catch (cause) {
    throw new UsageError(`--version: ${messageOf(cause)}`, { cause });
  }
}

function readSavedPages(folder: string): CapturedPages {
  try {
    return readCapturedPages(folder);
  } catch (cause) {
    throw new UsageError(`--pages: ${messageOf(cause)}`, { cause });
  }
}
