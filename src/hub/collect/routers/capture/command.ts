// `gatehouse capture`: takes a capture of a router, and looks at one.
import { z } from 'zod';
import type { Replacement } from '#capture/anonymise.ts';
import { readBundle } from '#capture/read-bundle.ts';
import { requireNewFolder, writeBundle } from '#capture/write-bundle.ts';
import { messageOf } from '#kernel/errors.ts';
import { askLine, askSecret, isAtTerminal } from '#kernel/process/ask.ts';
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { readEnv } from '#kernel/process/env.ts';
import { wholeOption } from '#kernel/process/option-value.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { type FailureClass, type RouterKind, ShellError } from '../driver.ts';
import { describeCapture } from './check.ts';
import { describePlan } from './plan.ts';
import { type Recording, recordRouter } from './record.ts';
import { toBundle } from './to-bundle.ts';
import { writeFixture } from './to-fixture.ts';
import { captureUsage, checkUsage, fixtureUsage, groupUsage } from './usage.ts';

const variables = z.object({ CAPTURE_PASSWORD: z.string().optional(), CAPTURE_ENABLE_PASSWORD: z.string().optional() });

const options = {
  port: { type: 'string', default: '22' },
  user: { type: 'string' },
  out: { type: 'string' },
  'host-key': { type: 'string' },
  'legacy-algorithms': { type: 'boolean', default: false },
  show: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

/** Resolves to the exit code. */
export function runCapture(argv: readonly string[]): Promise<number> {
  return runCommandGroup(argv, {
    name: 'gatehouse capture',
    usage: groupUsage,
    commands: {
      vendor_a: createCaptureCommand('vendor_a'),
      vendor_b: createCaptureCommand('vendor_b'),
      check: checkCapture,
      'to-fixture': makeFixture,
    },
  });
}

function createCaptureCommand(kind: RouterKind) {
  const program = {
    name: `capture ${kind}`,
    usage: captureUsage(kind),
    options,
    operands: { name: 'address', most: 1 },
    explain: explainFailure,
  };
  return (argv: readonly string[]): Promise<number> =>
    runProgram(argv, program, async (values, [host]) => {
      if (host === undefined || values.user === undefined) {
        throw new UsageError(`${host === undefined ? 'the address of the router' : '--user'} is missing`);
      }
      const { user, out = `capture-${kind}`, yes, show } = values;
      const signal = stopSignal();
      const target = {
        kind,
        host,
        port: wholeOption('port', values.port, [1, 65_535]),
        user,
        legacyAlgorithms: values['legacy-algorithms'],
        pinnedHostFp: values['host-key'] === undefined ? null : parseFingerprint(values['host-key']),
      };
      requireNewFolder(out);
      process.stderr.write(`On ${host} these commands are typed, which only read:\n${describePlan(kind)}\n`);
      if (isAtTerminal() && !yes && !/^y(?:es)?$/i.test(await askLine('Go on? [y/N] ', signal))) {
        throw new Error('not started: nothing was typed on the router');
      }
      const secrets = await readSecrets(kind, signal);
      const onCommand = (command: string) => {
        if (process.stderr.isTTY) {
          process.stderr.write(`> ${command}\n`);
        }
      };
      const recording = await recordRouter({ ...target, ...secrets, signal, onCommand });
      const { bundle, replacements, words } = toBundle(recording, user, [secrets.password, secrets.enablePass ?? '']);
      writeBundle(out, bundle, replacements, words);
      process.stdout.write(
        `${[...(show ? listReplacements(replacements) : []), ...summariseCapture(recording, out, replacements)].join('\n')}\n`,
      );
      if (recording.failure) {
        throw new Error(
          `the capture is not whole: ${recording.failure.message} ${out} holds what came until then: send it, or remove it and take the capture again`,
        );
      }
    });
}

/** What to do about a failed login, in the options of this command. */
const remedies: Partial<Record<FailureClass, string>> = {
  auth_failed: 'check --user and the password',
  host_key_changed: 'pass the presented key with --host-key if the router has a new one',
  no_common_algorithm: 'pass --legacy-algorithms if its firmware cannot be updated',
};

function explainFailure(error: unknown): string {
  const remedy = error instanceof ShellError ? remedies[error.failure] : undefined;
  return remedy === undefined ? messageOf(error) : `${messageOf(error)} For this command: ${remedy}`;
}

async function readSecrets(kind: RouterKind, signal: AbortSignal) {
  const { CAPTURE_PASSWORD, CAPTURE_ENABLE_PASSWORD } = readEnv(variables);
  if (CAPTURE_PASSWORD === undefined && !isAtTerminal()) {
    throw new UsageError(
      'there is no password: set CAPTURE_PASSWORD or CAPTURE_PASSWORD_FILE, or run it at a terminal',
    );
  }
  const password = CAPTURE_PASSWORD ?? (await askSecret('Password: ', signal));
  const isAsked = kind === 'vendor_b' && CAPTURE_PASSWORD === undefined && CAPTURE_ENABLE_PASSWORD === undefined;
  const enablePass = isAsked ? await askSecret('Enable password (empty: none): ', signal) : CAPTURE_ENABLE_PASSWORD;
  return { password, enablePass: enablePass || null };
}

/** Parses `SHA256:…`, as `ssh-keygen -l` prints it, or the 64 hexadecimal digits of the hub. */
function parseFingerprint(text: string): string {
  const [, base64] = /^SHA256:([A-Za-z\d+/]{43})=?$/.exec(text) ?? [];
  const digits = base64 === undefined ? text.toLowerCase() : Buffer.from(base64, 'base64').toString('hex');
  if (!/^[\da-f]{64}$/.test(digits)) {
    throw new UsageError(
      '--host-key must be the SHA-256 of the host key: SHA256:… as ssh-keygen -l prints it, or 64 hexadecimal digits',
    );
  }
  return digits;
}

function listReplacements(replacements: readonly Replacement[]): string[] {
  return replacements.map(({ kind, from, to }) => visibleText(`${kind} ${from} -> ${to}`, 1000, '.'));
}

function summariseCapture(
  { hostFp, exchanges, snapshot, missing }: Recording,
  out: string,
  replacements: readonly Replacement[],
): string[] {
  const read = snapshot
    ? [`${snapshot.sessions.length} sessions`, `${snapshot.neighbours?.length ?? 0} neighbours`]
    : [];
  return [
    `Host key SHA-256 ${hostFp}`,
    `${out}: ${[`${exchanges.length} answers`, ...read].join(', ')}`,
    `${replacements.length} texts were replaced; a scan of the files found none of them and no password.`,
    ...missing.map((command) => `missing: ${command}`),
    `Next: gatehouse capture check ${out}. Look at the files before you send them: they are plain text.`,
  ];
}

/** The commands on a bundle take its folder. */
const bundleOperand = { operands: { name: 'folder', most: 1 } } as const;

function readNamedBundle(folder: string | undefined) {
  if (folder === undefined) {
    throw new UsageError('the folder of the capture is missing');
  }
  return readBundle(folder);
}

function checkCapture(argv: readonly string[]): Promise<number> {
  const program = { ...bundleOperand, name: 'capture check', usage: checkUsage, options: {} };
  return runProgram(argv, program, async (_values, [folder]) => {
    const lines = await describeCapture(readNamedBundle(folder), stopSignal());
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

function makeFixture(argv: readonly string[]): Promise<number> {
  const options = { out: { type: 'string', default: '.' }, name: { type: 'string' } } as const;
  const program = { ...bundleOperand, name: 'capture to-fixture', usage: fixtureUsage, options };
  return runProgram(argv, program, async ({ out, name }, [folder]) => {
    const bundle = readNamedBundle(folder);
    const { kind, model } = bundle.index;
    const usual = `${kind === 'vendor_a' ? 'nat_detail' : 'nat'}.${model.toLowerCase().replace(/[^\da-z]+/g, '-') || 'captured'}`;
    if (name !== undefined && !/^[\w-][\w.-]*$/.test(name)) {
      throw new UsageError('--name must be the name of a file without its ending, of letters, digits, dots and dashes');
    }
    const files = await writeFixture(bundle, out, name ?? usual, stopSignal());
    process.stdout.write(
      `${files.map((file) => `wrote ${file}\n`).join('')}Correct the expectation by hand: it states what is read today.\n`,
    );
  });
}
