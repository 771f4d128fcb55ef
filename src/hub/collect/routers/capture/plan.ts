// The commands that a capture may type on a router: those of a poll.
import type { RouterKind } from '../driver.ts';

interface PlannedCommand {
  text: string;
  /** Condition under which it is typed; always when absent. */
  when?: string;
}

const plans: Record<RouterKind, readonly PlannedCommand[]> = {
  vendor_a: [
    { text: 'show environment', when: 'unless the login says the model' },
    { text: 'show config | grep "console character"' },
    { text: 'show nat descriptor address' },
    { text: 'show config | grep "nat descriptor timer"' },
    { text: 'show nat descriptor address N detail' },
    { text: 'show nat descriptor masquerade session N summary' },
    { text: 'show arp' },
    { text: 'show ipv6 neighbor cache' },
    { text: 'show status dhcp' },
  ],
  vendor_b: [
    { text: 'terminal length 0' },
    { text: 'terminal width 0' },
    { text: 'terminal width 511', when: 'when 0 is refused' },
    { text: 'show version' },
    { text: 'show ip nat statistics' },
    { text: 'show clock' },
    { text: 'show ip nat translations verbose' },
    { text: 'enable', when: 'when that is refused and an enable password was given' },
    { text: 'show ip nat translations', when: 'when the table has no times' },
    { text: 'show ip arp' },
    { text: 'show ipv6 neighbors' },
    { text: 'show ip dhcp binding' },
  ],
};

/** The commands as they are shown before the first one is typed. */
export function describePlan(kind: RouterKind): string {
  const lines = plans[kind].map(({ text, when }) => `  ${text}${when === undefined ? '' : `   (${when})`}`);
  return [...lines, '  exit'].join('\n');
}

/** Throws for a command that the user was not shown. */
export function requirePlanned(kind: RouterKind, command: string): void {
  if (!plans[kind].some(({ text }) => toPattern(text).test(command))) {
    throw new Error(`"${command}" is none of the commands that a capture types`);
  }
}

/** Returns the commands that are always typed and are not among `answered`. */
export function listMissing(kind: RouterKind, answered: readonly string[]): string[] {
  const always = plans[kind].filter(({ when }) => when === undefined).map(({ text }) => text);
  return always.filter((text) => !answered.some((command) => toPattern(text).test(command)));
}

/** `N` stands for the number of a NAT descriptor. */
function toPattern(text: string): RegExp {
  const words = text.split(' ').map((word) => (word === 'N' ? '\\d{1,10}' : RegExp.escape(word)));
  return new RegExp(`^${words.join(' ')}$`);
}
