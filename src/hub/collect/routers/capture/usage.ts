// What `gatehouse capture --help` and its commands print.
import type { RouterKind } from '../driver.ts';
import { describePlan } from './plan.ts';

export const groupUsage = `Usage: gatehouse capture COMMAND [options]

Takes a capture of a router that is read wrongly, without what identifies anybody, to report it.

Commands
  vendor_a HOST   log in to a Yamaha RTX router and keep what it prints
  vendor_b HOST   the same for Cisco IOS and IOS-XE
  check DIR       what is read of a capture, row by row, and what is not
  to-fixture DIR  the NAT table of a capture as a fixture of the tests, with what is read of it

gatehouse capture COMMAND --help describes a command. gatehouse sim vendor_b --capture DIR plays a capture.
`;

export const captureUsage = (kind: RouterKind) => `Usage: gatehouse capture ${kind} HOST --user U [options]

Logs in as the hub does, types the commands of one poll and nothing else, and writes the answers with their times into a
folder. Addresses, MACs, names and serial numbers are replaced by others as they are written: each everywhere in the same
way, with the same length, networks and makers kept. The files are then searched for what was replaced; when anything is
found, they are removed.

Options
  --user U               user of the router
  --port N               SSH port (22)
  --out DIR              the folder to make (capture-${kind})
  --host-key SHA256      the host key that the router must have; any when absent
  --legacy-algorithms    also old SSH algorithms, for old firmware
  --show                 print each replacement
  --yes                  do not ask before the first command
  --help                 this text
  --version              the version

The password is asked for at the terminal, or comes from CAPTURE_PASSWORD or the file that CAPTURE_PASSWORD_FILE names${
  kind === 'vendor_b' ? ';\nthe enable password likewise from CAPTURE_ENABLE_PASSWORD' : ''
}. Neither is written anywhere.

Commands that are typed; N is the NAT descriptor with the most sessions
${describePlan(kind)}
`;

export const checkUsage = `Usage: gatehouse capture check DIR

Prints what the hub reads of a capture: each session, neighbour and lease, the lines that it does not understand and why,
and which answers are cut or missing.

Options
  --help      this text
  --version   the version
`;

export const fixtureUsage = `Usage: gatehouse capture to-fixture DIR [options]

Writes the NAT table of a capture as NAME.txt, and NAME.expected.json with what is read of it today, to be corrected by
hand: fixtures/routers/README.md says how the tests use them. A manifest two folders up gets an entry.

Options
  --out FOLDER   where to write (the current folder)
  --name NAME    nat_detail.MODEL of vendor_a and nat.MODEL of vendor_b when absent
  --help         this text
  --version      the version
`;
