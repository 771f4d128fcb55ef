// The named ways a simulated router misbehaves.
import type { Armed, ArmedFaults } from '../support/armed-faults.ts';

/** One sentence for each fault: what the router does, and what `value` means. `FaultOptions` has the other options. */
export const routerFaults = {
  'login-refused': 'Refuses every login, whatever the password.',
  'publickey-only': 'Offers no method but publickey, so a password login is refused.',
  'keyboard-interactive-only': 'Offers no method but keyboard-interactive.',
  'privilege-error': 'Refuses the right `enable` or `administrator` password; `value` replaces the usual answer line.',
  'no-common-algorithm': 'Offers CBC ciphers and SHA-1 key exchange only, as old firmware does.',
  'host-key-changed': 'Has a new host key from now on, as after a replacement; clearing brings the old one back.',
  'sessions-full': 'Has no session free: closes a new TCP connection at once, or resets it with `value` "reset".',
  'login-restricted': 'Prints after the login that access is restricted, and closes the session.',
  'slow-output': 'Sends `value` bytes a second (2000 when absent).',
  stall: 'Stops sending after `afterBytes` of output (600 when absent) and keeps the connection open.',
  truncated:
    'Closes TCP in mid-row after `afterBytes` (600 when absent); `value` "end": SSH; "close": the channel in it.',
  garbage: 'Puts noise bytes into every seventh row, and `value` bytes of noise (0 when absent) before the first row.',
  pager: 'Pages although `terminal length 0` or `console lines infinity` is set.',
  wrap: 'Breaks rows at `value` columns (80 when absent), also inside tokens.',
  'character-set-changed': 'Somebody sets `console character` to `value` ("en.ascii" when absent); vendor_a only.',
  'character-set-ignored':
    'Keeps the character set `value` ("ja.euc" when absent), whatever `console character` is set to; vendor_a only.',
  'prompt-character-set':
    'Prompts in the character set `value` ("ja.utf8" when absent), whatever `console character` is; vendor_a only.',
  'log-lines': 'Prints a log line after every fifth row of output; `value` is its text ("LAN2: link up" when absent).',
  'prompt-like-content': 'Puts prompts, `Password:` and pager text into the banner, and prompt signs into host names.',
  'echo-off': 'Does not echo what is typed.',
  'unknown-command': 'Answers that it does not know the last word of the command, as old firmware does.',
  'descriptor-missing':
    'Renumbers the NAT descriptor to `value` (the next number when absent): the old one is empty; vendor_a only.',
  'table-cleared': 'Somebody clears the NAT table when `command` runs, or at once when `command` is absent.',
  reboot: 'Reboots when `command` runs, or at once when that is absent; is down for `value` ms (60,000 when absent).',
  'clock-skew':
    'The clock of the router is ahead by `value` ms (three hours when absent), or behind by a negative `value`.',
  kicked: 'An administrator disconnects the session after `afterBytes` of output (0 when absent).',
  'save-question': 'Settings are changed and not saved, so the last `exit` asks whether to save; vendor_a only.',
  'table-full': 'The NAT table is at its limit: new flows are refused, with a log line.',
  hang: 'Accepts TCP and says nothing.',
  'closed-early': 'Closes a new TCP connection before the SSH identification, although sessions are free.',
  'half-open': 'From the next command on, nothing is read or sent any more, and nothing is closed.',
  drop: 'Resets the TCP connection after `afterBytes` of output (0 when absent).',
  'not-ssh': 'Answers as an HTTP server.',
  'secret-shown':
    'Shows its password and enable secret at the place `value` of secret-places.ts ("answer" when absent).',
  dribble: 'Sends the output of a command byte by byte, each in an SSH packet of its own.',
  endless: 'Repeats the rows of a command for ever, or the text `value` instead of them.',
  'endless-line': 'Sends one line that never ends instead of the rows of a command.',
  'endless-banner': 'Prints a banner that never ends instead of the first prompt.',
} as const;

export type RouterFault = keyof typeof routerFaults;

/** A fault that is set, with its options. */
export type ArmedFault = Armed<RouterFault>;
/** All faults that are set on one router now. */
export type Faults = ArmedFaults<RouterFault>;
