// `gatehouse sim ups`.
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { optionText, optionWord, type SimulatorCommand, serveControl } from '../command.ts';
import { adoptCommand } from './adopt/command.ts';
import { upsControlRoutes } from './control.ts';
import { diffCommand } from './diff/command.ts';
import { requireFaultOptions, upsFaults } from './faults.ts';
import {
  builtInVersion,
  type CapturedPages,
  productVersions,
  readCapturedPages,
  versionFolder,
} from './pages/captured-pages.ts';
import { localeNames } from './pages/locales.ts';
import { startUps } from './ups.ts';
import type { Model } from './values.ts';

const hint = 'what the product leaves open was chosen for this start, to be hard to read; --seed 0 is the plain one';

const modelNames = ['backups', 'smart'] as const satisfies readonly Model[];

export const upsCommand: SimulatorCommand = {
  kind: 'ups',
  ports: { port: 6547, control: 2934 },
  help: {
    title: 'UPS',
    text: `  --locale NAME            display language: ${localeNames.join(', ')} (en)
  --model NAME             ${modelNames.join(' or ')}: six measurements or twelve (${modelNames[0]})
  --version V              product version: ${builtInVersion}, or another folder of fixtures/ups (${builtInVersion})
  --pages DIR              serves saved pages: status.LANG.html, logon.LANG.html, as upsget --snapshot writes them
  --seed N                 chooses what the product leaves open; without it every start chooses anew, which is a hard
                           target on purpose. --seed 0 is the plain one, as in fixtures/ups

  ups diff OLD NEW         compares the element ids of two folders of saved pages
  ups adopt DIR            makes fixtures of the pages of a new version, and names the lines of upsget to change
`,
  },
  options: ['locale', 'model', 'product-version', 'pages'],
  alone: ['pages'],
  files: ['pages'],
  faults: upsFaults,
  checkFault: requireFaultOptions,
  verbs: { diff: diffCommand, adopt: adoptCommand },
  plan(given) {
    const version = parseVersion(optionText(given, 'product-version'));
    const pages = optionText(given, 'pages') ?? (version === builtInVersion ? null : versionFolder(version));
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
        control: ups.control,
        extra: upsControlRoutes(ups.control),
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
        seed: ups.control.state().seed,
        ...(seed === null ? { hint } : {}),
      };
    };
  },
};

function parseVersion(given: string | null): string {
  const versions = productVersions();
  const version = given ?? builtInVersion;
  if (!versions.includes(version)) {
    throw new UsageError(`--version: there are pages of ${versions.join(', ')}, not of "${version}"`);
  }
  return version;
}

function readSavedPages(folder: string): CapturedPages {
  try {
    return readCapturedPages(folder);
  } catch (cause) {
    throw new UsageError(`--pages: ${messageOf(cause)}`, { cause });
  }
}
