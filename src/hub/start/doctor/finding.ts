// What a check found, and the sentence that says what to do about it.
import { type CheckCode, type CheckState, checkStates, type DiagnosticCheck } from '#contract/diagnostics.ts';
import type { Fact, FactCode } from '#contract/facts.ts';
import { describeCause } from '../../base/refusals.ts';
import { createStatement, type Statement, toFacts, toMessage } from '../../base/statements.ts';

export interface Finding {
  state: Exclude<CheckState, 'ok'>;
  statement: Statement;
}

const advice: Readonly<Record<CheckCode, string>> = {
  port: 'Start the hub with "gatehouse hub". When another program has the port, end it or choose another PORT.',
  settings: 'Correct the file or the variable that is named, or restore the settings from a backup.',
  database: 'Restore the newest good backup; gatehouse salvage reads what is left of a damaged file.',
  clock: 'Set the clock of this computer, and let it follow a time server (NTP).',
  disk: 'Make room on the disk, or store fewer days or bytes of the log.',
  permissions: 'Give the folder mode 0700, the files mode 0600, and all of them the user of the hub.',
  routers:
    'Check that the router is on, that SSH is allowed from here, and that user, password and host key are right.',
  agents: 'Check that the machine is on and that its Agent runs; revoke the Agent of a machine that is gone.',
  names: 'Check that the name server answers this computer, or choose another one in the settings.',
  feeds: 'Check that this computer reaches the publishers, and that the key of the feeds is right.',
  backups: 'Make a backup now and see what it says; check the disk and the folder of the backups.',
  listener: 'Put a TLS proxy in front of the hub and name it in MONITOR_TRUST_PROXY, or listen on loopback.',
};

export function createFinding(
  state: Finding['state'],
  code: FactCode,
  sentence: string,
  values: Fact['values'] = {},
): Finding {
  return { state, statement: createStatement(code, sentence, values) };
}

/** Returns the finding that a check could not be made because `what` was not read. */
export function createUnknown(what: string, error: unknown): Finding {
  const about = describeCause(error);
  return createFinding('unknown', 'check_failed', `${what} could not be read (${about.detail})`, { what, ...about });
}

/** The check has the state of its worst finding; without one all is well. */
export function toCheck(code: CheckCode, findings: readonly Finding[]): DiagnosticCheck {
  const rank = Math.max(0, ...findings.map(({ state }) => checkStates.indexOf(state)));
  const toDo = findings.length === 0 ? null : createStatement(`advice_${code}`, advice[code]);
  return {
    code,
    state: checkStates[rank] ?? 'ok',
    ...toMessage(...findings.map(({ statement }) => ({ ...statement, sentence: toSentence(statement.sentence) }))),
    advice: toDo?.sentence ?? '',
    adviceFacts: toFacts(toDo),
  };
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.。]$/.test(text) ? '' : '.'}`;
}
