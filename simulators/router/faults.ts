// The named ways a simulated router misbehaves.
import type { Armed, ArmedFaults } from '../support/armed-faults.ts';

/** Every fault with one sentence: what it does, when it shows, and what `value` means. */
export const routerFaults = {
  'login-refused': 'Refuses every login, whatever the password.',
  'publickey-only': 'Offers no method but publickey, so a password login is refused.',
  'keyboard-interactive-only': 'Offers no method but keyboard-interactive.',
  'privilege-error':
    'The right `enable` or `administrator` password is answered as a wrong one; `value` is another answer line.',
  'no-common-algorithm': 'Offers CBC ciphers and SHA-1 key exchange only, as old firmware does.',
  'host-key-changed': 'Has a new host key from now on, as after a replacement; clearing brings the old one back.',
  'sessions-full': 'Accepts TCP and closes before the identification; `value` "reset" sends a reset instead.',
  'login-restricted': 'After the login prints that access is restricted, and closes.',
  'slow-output': 'Sends `value` bytes a second (2000 when absent).',
  stall: 'Stops sending after `afterBytes` of a command and keeps the connection open.',
  truncated:
    'Cuts in mid-row after `afterBytes`; `value` is how: "destroy" (TCP), "end" (connection) or "close" (channel).',
  garbage:
    'Puts noise bytes into every seventh row; with a number as `value` sends so many bytes of noise before the rows.',
  pager: 'Pages although `terminal length 0` or `console lines infinity` is set.',
  wrap: 'Breaks rows at `value` columns (80 when absent), also inside tokens.',
  'character-set-changed': 'Somebody sets `console character` to `value` ("en.ascii" when absent); vendor_a.',
  'character-set-ignored':
    'Goes on in the character set `value` ("ja.euc" when absent), whatever `console character` is set to; vendor_a.',
  'prompt-character-set':
    'Prints its prompt in the character set `value` ("ja.utf8" when absent), whatever `console character` is; vendor_a.',
  'log-lines': 'Prints a log line after every fifth row of output; `value` is its text.',
  'prompt-like-content': 'Puts prompts, `Password:` and pager text into the banner, and prompt signs into host names.',
  'echo-off': 'Does not echo what is typed.',
  'unknown-command': 'Answers the command as firmware that does not know its last word.',
  'descriptor-missing':
    'The NAT descriptor is renumbered to `value` (plus one when absent), so the old one is empty; vendor_a.',
  'table-cleared': 'Somebody clears the NAT table when the command runs, or at once without `command`.',
  reboot: 'Reboots when the command runs, or at once without `command`; down for `value` ms (60,000 when absent).',
  'clock-skew': 'The clock of the router is off by `value` ms (three hours when absent).',
  kicked: 'An administrator disconnects the session when a command runs, after `afterBytes` of its output.',
  'save-question': 'Settings are changed and not saved, so the last `exit` asks whether to save; vendor_a.',
  'table-full': 'The NAT table is at its limit: new flows are refused, with a log line.',
  hang: 'Accepts TCP and says nothing.',
  'closed-early': 'Accepts TCP and closes before the identification.',
  'half-open': 'From the next command on, nothing is read or sent any more, and nothing is closed.',
  drop: 'Resets the TCP connection after `afterBytes` of a command.',
  'not-ssh': 'Answers as an HTTP server.',
  'secret-shown':
    'Shows its password and its enable secret at the place `value` (secret-places.ts); "answer" when absent: echoes the secret typed and refuses it.',
  dribble: 'Sends the output of a command byte by byte, each in an SSH packet of its own.',
  endless: 'Repeats the rows of a command for ever; with `value`, that text instead of rows.',
  'endless-line': 'Goes on with a line that never ends where the rows of a command should be.',
  'endless-banner': 'Prints a banner that never ends instead of the first prompt.',
} as const;

export type RouterFault = keyof typeof routerFaults;

export type ArmedFault = Armed<RouterFault>;
export type Faults = ArmedFaults<RouterFault>;
