// Sentences that say why something was not observed.

/** Reasons other than the failures of routers. */
const sentences: Readonly<Record<string, string>> = {
  hub_off: 'the hub was not running, or it used another database',
  waiting: 'there was no answer yet',
  disabled: 'it was switched off',
  save_failed: 'the hub could not store what it read',
  table_cut: 'the session table was not read completely',
  rows_not_read: 'some rows of the session table were not understood',
  changing: 'it was observed only part of the time',
  silent: 'it sent nothing; what it stored in that time may have come later',
  stale: 'its list was outdated',
  pending: 'its list was not downloaded yet',
  failed: 'its list could not be downloaded',
  unauthorised: 'its API key was missing or was refused',
  offline: 'the hub is in offline mode',
  nothing_set_up: 'nothing was set up yet',
};

/** Failures of routers (docs/reference/routers.md#5-failure-classes). */
const failures: Readonly<Record<string, string>> = {
  unreachable: 'it did not answer',
  silent_port: 'what answered was not SSH',
  closed_early: 'it closed the connection before the login',
  no_common_algorithm: 'it knew none of the allowed SSH algorithms',
  host_key_changed: 'its host key was another one',
  auth_failed: 'it refused the login name or the password',
  shell_refused: 'it gave the login no command line',
  login_restricted: 'it refused logins from the address of the hub',
  no_prompt: 'it showed no prompt',
  wrong_vendor: 'it was of the other kind',
  escalation_failed: 'it refused the enable secret or the administrator password',
  privilege: 'its login could not read the table of sessions',
  cut_off: 'it closed the connection in the middle',
  paging_stuck: 'its output stopped at a page',
  descriptor_missing: 'it had no NAT descriptor of this number',
  timed_out: 'it answered too slowly',
  too_much_output: 'it sent more than any router should',
  unreadable: 'its answer was not understood',
};

export function describeReason(reason: string): string {
  const failure = failures[reason];
  return sentences[reason] ?? `the router could not be read${failure === undefined ? '' : `: ${failure}`}`;
}
