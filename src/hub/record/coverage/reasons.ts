// Sentences that say why something was not observed.

/** Reasons other than the error codes of routers. */
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

export function describeReason(reason: string): string {
  return sentences[reason] ?? `the router could not be read (${reason})`;
}
