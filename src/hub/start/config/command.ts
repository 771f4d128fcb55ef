// `gatehouse config`: the configuration as text, for git. It works on the files of the hub.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isThere } from '#kernel/files/files.ts';
import { askLine, isAtTerminal } from '#kernel/process/ask.ts';
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { readEnv } from '#kernel/process/env.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { createKey } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { isNarrower } from '../../base/auth/oidc/config-handlers.ts';
import { hubEnv } from '../../base/config.ts';
import { openDocument, type SettingsDocument } from '../../base/settings/document.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { secretKey } from '../../base/settings/secret-key.ts';
import { locateFiles, openStopped } from '../../base/storage/commands/places.ts';
import { formatDiff } from './format-diff.ts';
import { readConfigText } from './read-text.ts';
import { createSecretFinder, writeSecretsFile } from './secrets.ts';
import type { Section } from './section.ts';
import { usage } from './usage.ts';
import { formatConfig, listSecrets } from './write-text.ts';

const maxBytes = 1_000_000;
const options = { data: { type: 'string' }, secrets: { type: 'string' } } as const;
const operands = { name: 'file', most: 1 };

/** Resolves to the exit code: 0, 1 on failure, 2 on a usage error; of `diff` 1 when they differ and 2 on any failure. */
export function runConfig(argv: readonly string[], sections: readonly Section[]): Promise<number> {
  const commands = {
    export: (words: readonly string[]) => runExport(words, sections),
    diff: (words: readonly string[]) => runDiff(words, sections),
    apply: (words: readonly string[]) => runApply(words, sections),
  };
  return runCommandGroup(argv, { name: 'gatehouse config', usage, commands });
}

function runExport(argv: readonly string[], sections: readonly Section[]): Promise<number> {
  return runProgram(argv, { name: 'config export', usage, options }, async ({ data, secrets }) => {
    const files = locateFiles(data);
    if (!isThere(files.documentFile)) {
      throw new Error(`${files.documentFile} does not exist: name the folder of the hub's data with --data`);
    }
    const settings = openToRead(files).current();
    if (secrets !== undefined) {
      writeSecretsFile(secrets, listSecrets(sections, settings));
    }
    process.stdout.write(formatConfig(sections, settings));
  });
}

async function runDiff(argv: readonly string[], sections: readonly Section[]): Promise<number> {
  let difference = '';
  const program = { name: 'config diff', usage, options, operands };
  const code = await runProgram(argv, program, async ({ data, secrets }, [file]) => {
    const before = openToRead(locateFiles(data)).current();
    const after = await readFile(file, before, sections, secrets);
    difference = describeChange(sections, before, after, file);
    process.stdout.write(difference);
  });
  return code !== 0 ? 2 : difference === '' ? 0 : 1;
}

function runApply(argv: readonly string[], sections: readonly Section[]): Promise<number> {
  const program = {
    name: 'config apply',
    usage,
    options: { ...options, yes: { type: 'boolean' } },
    operands,
  } as const;
  return runProgram(argv, program, async ({ data, secrets, yes = false }, [file]) => {
    if (!yes && !isAtTerminal()) {
      throw new UsageError('asks before it changes anything, and nobody is at a terminal: add --yes');
    }
    using folder = openStopped(data);
    const { MONITOR_SECRET_KEY } = readEnv(hubEnv.pick({ MONITOR_SECRET_KEY: true }));
    const key = MONITOR_SECRET_KEY ?? secretKey(folder.keyFile, folder.documentFile);
    const document = openDocument(folder.documentFile, key);
    const before = document.current();
    const after = await readFile(file, before, sections, secrets);
    const difference = describeChange(sections, before, after, file);
    if (difference === '') {
      process.stdout.write('The hub has this configuration already: nothing was changed.\n');
      return;
    }
    process.stdout.write(difference);
    if (!yes && !/^y(es)?$/i.test(await askLine('Apply this? [y/N] ', new AbortController().signal))) {
      throw new Error('nothing was changed');
    }
    document.update(() => ({ ...after, applied: toApplied(sections, before, after) }));
    process.stdout.write('Applied. It holds from the next start of the hub.\n');
  });
}

/** Opens the settings for a command that writes nothing, not even a key. The hub may run meanwhile. */
function openToRead({ keyFile, documentFile }: { keyFile: string; documentFile: string }): SettingsDocument {
  const { MONITOR_SECRET_KEY } = readEnv(hubEnv.pick({ MONITOR_SECRET_KEY: true }));
  const key = MONITOR_SECRET_KEY ?? (isThere(keyFile) ? secretKey(keyFile, documentFile) : createKey());
  return openDocument(documentFile, key);
}

/** Returns the settings as they would be with the text of `file` applied. */
async function readFile(
  file: string | undefined,
  settings: Settings,
  sections: readonly Section[],
  secrets: string | undefined,
): Promise<Settings> {
  if (file === undefined) {
    throw new UsageError('needs a FILE that "gatehouse config export" or a person wrote');
  }
  const bytes = statSync(file).size > maxBytes ? null : readFileSync(file);
  if (bytes === null || bytes.length > maxBytes || !isUtf8(bytes)) {
    throw new Error(`${file} is no configuration of a hub: it must be UTF-8 text of at most ${maxBytes} bytes`);
  }
  const env = readEnv(hubEnv.pick({ MONITOR_ALLOW_LOOPBACK_ROUTERS: true, MONITOR_LOG_PATH_PREFIXES: true }));
  return readConfigText(bytes.toString(), {
    file: path.basename(file),
    sections,
    settings,
    findSecret: createSecretFinder(secrets),
    surroundings: {
      now: systemClock.now(),
      allowLoopback: env.MONITOR_ALLOW_LOOPBACK_ROUTERS ?? false,
      pathPrefixes: env.MONITOR_LOG_PATH_PREFIXES,
    },
  });
}

function describeChange(sections: readonly Section[], before: Settings, after: Settings, file = ''): string {
  const stored = listSecrets(sections, before);
  const toText = (settings: Settings) =>
    formatConfig(sections, settings, (name, value) =>
      value === '' ? '(missing)' : (stored.get(name) ?? value) === value ? '(set)' : '(changed)',
    );
  return formatDiff(toText(before), toText(after), { before: 'the hub', after: path.basename(file) });
}

/** Returns what the next start records, joined with an earlier change that no start has recorded yet. */
function toApplied(sections: readonly Section[], before: Settings, after: Settings): Settings['applied'] {
  const changed = sections.filter(({ show }) => !isDeepStrictEqual(show(before), show(after))).map(({ name }) => name);
  return {
    at: systemClock.now(),
    sections: [...new Set([...(before.applied?.sections ?? []), ...changed])],
    endsOidcSessions: (before.applied?.endsOidcSessions ?? false) || isNarrower(before.oidc, after.oidc),
  };
}
