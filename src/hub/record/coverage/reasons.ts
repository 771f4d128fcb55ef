// Sentences that say why something was not observed.

/** Reasons other than the error codes of routers. */
const sentences: Readonly<Record<string, string>> = {
  hub_off: 'the hub did not run, or its database was another one',
  waiting: 'there was no answer yet',
  disabled: 'it was switched off',
  save_failed: 'what it showed could not be stored by the hub',
  table_cut: 'the table of sessions was not read to its end',
  rows_not_read: 'rows of the table of sessions were not understood',
  changing: 'it was observed on and off',
  silent: 'nothing was heard of it; what it stored meanwhile may have come later',
  stale: 'its list was old',
  pending: 'its list was not fetched yet',
  failed: 'its list could not be fetched',
  unauthorised: 'its key is missing, or was refused',
  offline: 'the hub is in offline mode',
  nothing_set_up: 'nothing was set up yet',
};

export function describeReason(reason: string): string {
  return sentences[reason] ?? `the router could not be read (${reason})`;
}
