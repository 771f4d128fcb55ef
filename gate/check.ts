// Runs checks. A check tests one statement and returns a verdict; a run returns exactly one finding per check.

/** Parts of the report (docs/reference/wire-contract/8-gate.md#84-report). */
export const categories = [
  'evidence',
  'publicDnsAbsent',
  'tlsAndMetadata',
  'tokenRejection',
  'readWriteScopes',
  'rateLimit',
  'audit',
  'localCollection',
  'protocolErrors',
  'protocolRevisions',
  'authorizationCompatibility',
] as const;

export type Category = (typeof categories)[number];

/** `because` consists of literals, field names, codes and numbers; it never contains input. */
export type Verdict =
  | { outcome: 'pass' }
  /** The profile does not require it, and it is absent. */
  | { outcome: 'not-required'; because: string }
  | { outcome: 'fail' | 'untestable'; because: string };

export interface Check<Input> {
  /** Stable, kebab-case, prefixed with its subject: `token.expired`. */
  id: string;
  /** The tested statement, true when the check passes. */
  asks: string;
  category: Category;
  /** Checks that must have passed; otherwise this one is untestable and is not run. */
  needs?: readonly string[];
  /** What to do when it fails: the operator's next step. */
  remedy: string;
  judge(input: Input): Verdict | Promise<Verdict>;
}

export interface Finding {
  id: string;
  category: Category;
  outcome: Verdict['outcome'];
  because: string | null;
}

export const pass: Verdict = { outcome: 'pass' };

export function fail(because: string): Verdict {
  return { outcome: 'fail', because };
}

export function untestable(because: string): Verdict {
  return { outcome: 'untestable', because };
}

const notApplicablePrefix = 'not applicable: ';

/** The verdict on a check that the profile does not ask for. `because` says what the check would need. */
export function notApplicable(because: string): Verdict {
  return { outcome: 'not-required', because: notApplicablePrefix + because };
}

export function isNotApplicable({ because }: Pick<Finding, 'because'>): boolean {
  return String(because).startsWith(notApplicablePrefix);
}

/** Passes without reasons, otherwise fails with all of them. */
export function passUnless(reasons: readonly string[]): Verdict {
  return reasons.length === 0 ? pass : fail(reasons.join('; '));
}

export interface RunOptions {
  earlier?: readonly Finding[];
  onFinding?: (finding: Finding) => void;
  signal?: AbortSignal | undefined;
}

/** Runs every check in order. Never rejects: a check that throws is untestable and reports only the kind of error. */
export async function runChecks<Input>(
  checks: readonly Check<Input>[],
  input: Input,
  { earlier = [], onFinding, signal }: RunOptions = {},
): Promise<Finding[]> {
  const passed = new Set(earlier.filter(holds).map(({ id }) => id));
  const findings: Finding[] = [];
  for (const check of checks) {
    const missing = (check.needs ?? []).find((need) => !passed.has(need));
    const verdict = await judgeOne(check, input, missing, signal);
    const because = verdict.outcome === 'pass' ? null : verdict.because;
    const finding = { id: check.id, category: check.category, outcome: verdict.outcome, because };
    if (holds(finding)) {
      passed.add(check.id);
    }
    findings.push(finding);
    onFinding?.(finding);
  }
  return findings;
}

/** Whether a finding does not block publication. */
export function holds({ outcome }: Pick<Finding, 'outcome'>): boolean {
  return outcome === 'pass' || outcome === 'not-required';
}

async function judgeOne<Input>(
  check: Check<Input>,
  input: Input,
  missing: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  if (signal?.aborted) {
    return untestable(`${explainEnd(signal)} before it`);
  }
  if (missing !== undefined) {
    return untestable(`needs ${missing}, which did not pass`);
  }
  const ended = new AbortController();
  try {
    return await Promise.race([check.judge(input), rejectOnAbort(signal, ended.signal)]);
  } catch (error) {
    return untestable(
      signal?.aborted ? `${explainEnd(signal)} during it` : `it could not be carried out (${toErrorKind(error)})`,
    );
  } finally {
    ended.abort();
  }
}

export class RunEnded extends Error {}

const interrupted = 'the run was interrupted';

/** Whether a signal came before the check was judged. */
export function isInterrupted({ because }: Pick<Finding, 'because'>): boolean {
  return String(because).startsWith(interrupted);
}

function explainEnd({ reason }: AbortSignal): string {
  return reason instanceof RunEnded ? reason.message : interrupted;
}

/** Rejects when `signal` is aborted, even when the work ignores it. `over` removes the listener. */
function rejectOnAbort(signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', end, { once: true, signal: over });
    if (signal?.aborted) {
      end();
    }
  });
}

/** The code or name of an error. Its message may contain request data. */
export function toErrorKind(error: unknown): string {
  const { code, name, cause } = error as { code?: unknown; name?: unknown; cause?: { code?: unknown } };
  const word = [cause?.code, code, name].find((part) => typeof part === 'string' && /^[A-Za-z][\w-]{2,50}$/.test(part));
  return typeof word === 'string' ? word : 'error';
}
