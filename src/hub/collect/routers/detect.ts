// Detection of a router that is not saved yet: connects and reports what it finds, or fails with the cause.
import type { z } from 'zod';
import type { CauseCode, Fact } from '#contract/facts.ts';
import type { detection } from '#contract/routers.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { createFact, createRefusal, toCause } from '../../base/refusals.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import { type CycleOptions, toShellTarget } from './cycle.ts';
import { type Detected, type FailureClass, ShellError } from './driver.ts';
import { getDriver } from './drivers.ts';
import { toPublicNotes } from './notes.ts';
import { openShell } from './ssh.ts';

export type Detection = z.input<typeof detection>;
export type Detect = (record: RouterRecord, code: ErrorCode, signal: AbortSignal) => Promise<Detection>;

const deadlineMs = 90_000;

type DetectOptions = Omit<CycleOptions, 'unseen' | 'marks'>;

/** Runs at most two at once. Rejects with AppError `code` (502); its details hold `success: false` and `diag`. */
export function createDetect(options: DetectOptions): Detect {
  const { clock } = options;
  const slots = new Semaphore(2);
  const detect: Detect = async (record, code, signal) => {
    try {
      return await withDeadline(clock, deadlineMs, tookTooLong, signal, (inner) =>
        inspect(record, code, options, inner),
      );
    } catch (error) {
      if (error instanceof ShellError) {
        const diag = { ssh: { ok: false, code: toDiagCode(error) }, failure: error.failure };
        // A fault of a router is no defect of this program: log the sentence, without a stack.
        throw createRefusal(code, error.message, toFacts(error), {
          details: { success: false, diag: { ...diag, ...error.facts } },
        });
      }
      throw error;
    }
  };
  return (record, code, signal) => slots.use(() => detect(record, code, signal), signal);
}

async function inspect(
  record: RouterRecord,
  code: ErrorCode,
  { registry, clock, settleMs }: DetectOptions,
  signal: AbortSignal,
): Promise<Detection> {
  await using shell = await openShell({ ...toShellTarget(record, registry.list()), clock, signal, settleMs });
  const memory = { refused: new Set<string>(), encoding: null, model: null };
  const options = { settings: record, memory, neighbours: false, leases: false, now: clock.now, signal };
  const found = await getDriver(record.kind).detect(shell, options);
  const document = toDocument(record, found);
  if (found.privilegeError !== null) {
    throw createRefusal(code, found.privilegeError, [], {
      details: { success: false, diag: { ...document.diag, failure: 'privilege' } },
    });
  }
  return document;
}

function toDocument(record: RouterRecord, found: Detected): Detection {
  const common = {
    success: true as const,
    ssh: { ok: true as const },
    lan: { ip: found.lanIp },
    hostFp: found.hostFp,
    hostName: found.hostName,
    model: found.model,
    ...toPublicNotes(found.notes),
  };
  if (record.kind === 'vendor_a') {
    const descriptor = found.descriptor ?? '';
    return {
      ...common,
      nat: {
        ok: found.descriptor !== null,
        descriptor,
        sessionsOk: found.sessionsOk,
        sessions: found.sessions,
        candidates: found.candidates.filter(({ ok }) => ok).map(({ candidate }) => candidate),
      },
      suggested: { ip: record.ip, user: record.user, nat: descriptor || record.nat },
      diag: {
        ssh: { ok: true },
        natCandidates: found.candidates.map((candidate) => ({ ...candidate })),
        fromConfig: [...found.fromConfig],
        lanIp: found.lanIp,
      },
    };
  }
  return {
    ...common,
    nat: { ok: found.sessionsOk, sessions: found.sessions, sessionsOk: found.sessionsOk },
    os: { ok: found.isExpectedOs, version: found.version },
    suggested: { ip: record.ip, user: record.user },
    diag: {
      ssh: { ok: true },
      isExpectedOs: found.isExpectedOs,
      lanIp: found.lanIp,
      natSessions: found.sessions,
      privilegeError: found.privilegeError !== null,
    },
  };
}

/**
 * The closed list of codes (docs/reference/wire-contract/4-endpoints.md#detection). Everything else is `unknown`, with
 * the failure class next to it.
 */
const diagCodes: Partial<Record<FailureClass, string>> = {
  host_key_changed: 'hostKeyMismatch',
  unreachable: 'connRefused',
  auth_failed: 'authFailed',
  // The port accepts connections, then sends nothing.
  silent_port: 'shellTimeout',
  no_prompt: 'shellTimeout',
  timed_out: 'shellTimeout',
  paging_stuck: 'shellTimeout',
  closed_early: 'shellClosed',
  cut_off: 'shellClosed',
  shell_refused: 'shellClosed',
  login_restricted: 'shellClosed',
};

function toDiagCode({ failure, facts }: ShellError): string {
  const isLate = failure === 'unreachable' && /^no answer|TIMEDOUT|UNREACH/.test(facts.cause ?? '');
  return isLate ? 'connTimeout' : (diagCodes[failure] ?? 'unknown');
}

/** What the failure class alone does not say: a variant of it, or why the system or the router ended the connection. */
function toFacts({ failure, variant, facts }: ShellError): Fact[] {
  const { cause: detail, ...values } = facts;
  if (variant !== null) {
    return [createFact(`router_${variant}`, values)];
  }
  if (
    detail === undefined ||
    !(failure === 'unreachable' || failure === 'closed_early' || failure === 'shell_refused')
  ) {
    return [];
  }
  const cause = causes.find(([pattern]) => pattern.test(detail))?.[1] ?? toCause(detail);
  return [createFact(`router_${failure}`, { detail, ...(cause && { cause }) })];
}

/** Causes in words of this program and of its SSH library. */
const causes: readonly (readonly [RegExp, CauseCode])[] = [
  [/^no answer/, 'timed_out'],
  [/^the connection was closed$|ECONNRESET/, 'cut'],
];

function tookTooLong(): ShellError {
  return new ShellError(
    'timed_out',
    `detection took longer than ${deadlineMs / 1000} s: the router answers too slowly.`,
  );
}
