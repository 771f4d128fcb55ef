// The named ways the simulated web UI misbehaves.
import { anyText, choice, numberFrom, requireValue, type ValueRule } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, when it shows, and what `value` means. `times` is for so many occasions,
 * `skip` lets so many pass first, `command` restricts it to paths that start so. The faults of `connectionFaults` show when
 * a connection is made, before there is a path.
 */
export const upsFaults = {
  silent: 'Accepts TCP and says nothing.',
  'closed-early': 'Accepts TCP and closes before TLS.',
  'plain-http': 'Speaks HTTP without TLS.',
  'tls-1.1-only': 'Offers TLS 1.1 and nothing newer, as old products do.',
  'tls-dhe-1024': 'Offers key exchange in a Diffie-Hellman group of 1,024 bits only.',
  'weak-certificate': 'Has an RSA certificate of 1,024 bits, signed with SHA-1.',
  'expired-certificate': 'Has a certificate that expired yesterday.',
  'other-certificate': 'Has another certificate than at the start, as somebody in between has.',

  slow: 'Waits `value` ms (5,000 when absent) before it takes the request up.',
  hang: 'Never answers; with "after" as `value` what was asked for is done all the same.',
  trickle: 'Sends `value` bytes a second (50 when absent).',
  truncated: 'Announces the whole page, and closes after `afterBytes` of it (half when absent).',
  reset:
    'Resets TCP after the head and `afterBytes` of the page (before the head when absent); what was asked for is done.',
  'wrong-length': 'Announces half of what it sends.',
  gzip: 'Compresses the page, though nobody offered to read that; `value` lists codings (gzip, x-gzip, deflate, raw-deflate).',
  'huge-page': 'Puts a comment of `value` bytes (3,000,000 when absent) into the page.',
  'empty-page': 'Answers 200 with nothing.',
  'error-500': 'Answers 500; nothing is done.',
  'duplicate-session': 'Answers 400, as to two session cookies that are both valid.',
  'redirect-loop': 'Redirects to the same page for ever.',
  'redirect-elsewhere': 'Redirects to `value` (`https://elsewhere.invalid/logon` when absent).',

  'already-logged-on': 'Somebody else is logged on when a page is asked for by one who is not.',
  'session-expired': 'The session is over when the request arrives, as after 15 idle minutes.',
  'session-stolen': 'Somebody else logs on just before the request arrives, and throws out who was.',
  'login-refused': 'The right password is answered as a wrong one; nothing is counted towards the lock.',
  'locale-ignored': 'A change of language is answered as ever and changes nothing.',
  'locale-logs-off': 'A change of language ends the session and leads to the login page.',
  'form-token-missing': 'The login page has no form token, as in old versions; logging on needs none then.',

  'ids-renamed': 'Every value but the status has an id with `value` (`val-` when absent) instead of `value_`.',
  'all-ids-renamed': 'Every value has an id with `value` (`metric_` when absent) instead of `value_`.',
  'element-missing': 'The elements with the ids in `value`, separated by commas, are gone (`value_RealPowerPct`).',
  'element-empty': 'The elements with the ids in `value`, separated by commas, hold a blank (`value_RealPowerPct`).',
  'attributes-reordered': 'Elements have their attributes in another order, and more of them, one with a `>`.',
  'single-quotes': 'Attributes stand in single quotes.',
  'no-quotes': 'Attributes stand in no quotes.',
  'upper-case': 'Names of tags and attributes are in upper case.',
  span: 'Values are in `span` instead of `div`.',
  nested: 'Values are inside further elements.',
  references: 'Values are written in character references.',
  decoys: 'A comment, a script and a data attribute hold the ids of values before the content does.',
  'lang-missing': 'The page does not say its language.',
  'lang-last': 'The language is the last of several attributes.',
  'lang-region': 'English says `en-US`.',
  'lang-xml': 'The language is in `xml:lang` alone, as in XHTML.',
} as const;

export type UpsFault = keyof typeof upsFaults;

/** Faults of a connection; the first one that is armed shows. */
export const connectionFaults = [
  'silent',
  'closed-early',
  'plain-http',
  'tls-1.1-only',
  'tls-dhe-1024',
  'weak-certificate',
  'expired-certificate',
  'other-certificate',
] as const satisfies readonly UpsFault[];
export type ConnectionFault = (typeof connectionFaults)[number];

const number = numberFrom(1, 'a number of 1 or more');

const values: Partial<Record<UpsFault, ValueRule>> = {
  slow: number,
  trickle: number,
  'huge-page': number,
  hang: choice(['after'], '"after", or absent'),
  gzip: anyText,
  'redirect-elsewhere': anyText,
  'ids-renamed': anyText,
  'all-ids-renamed': anyText,
  'element-missing': anyText,
  'element-empty': anyText,
};

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: UpsFault, options: FaultOptions): void {
  const { command } = options;
  const isOfConnection = connectionFaults.some((one) => one === fault);
  if (command !== undefined && (isOfConnection || !command.startsWith('/'))) {
    throw new Error(
      isOfConnection ? `${fault}: shows before there is a path` : `${fault}: command is a path that starts with /`,
    );
  }
  requireValue(fault, options, values);
}
