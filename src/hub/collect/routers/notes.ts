// The notes on a router's last read as the API shows them.
import type { RouterNote } from '#contract/router-notes.ts';

/** `notes` and `noteFacts` are the same notes: as English sentences, and as codes and values for a page in another language. */
export function toPublicNotes(notes: readonly RouterNote[]): { notes: string[]; noteFacts: RouterNote[] } {
  return { notes: notes.map(describeNote), noteFacts: [...notes] };
}

/** What is the case, and what to do where something can be done, in English. */
function describeNote(note: RouterNote): string {
  switch (note.code) {
    case 'table_full':
      return `The NAT table is full: ${note.used} of ${note.most} entries. The router refuses new connections.`;
    case 'table_in_pages':
      return `The router shows its NAT table in ${note.pages} pages, which makes each read slow. \`console lines infinity\` on the router turns paging off.`;
    case 'paging_stays_on':
      return 'The router shows its tables page by page: `terminal length 0` is denied to this user.';
    case 'no_times':
      return 'The router shows its NAT table without times to this user; when a session was last used is not known.';
    case 'cells_merged':
      return 'The cells of the NAT table run into each other, as a training simulator prints them. Such a table cannot be read.';
    case 'clock_not_set':
      return "The router's clock is not set. Ages are taken from it as it stands; set up NTP on the router.";
    case 'keys_lost':
      return `The router did not react to a key at ${note.questions} of its page questions; it went on when the key was pressed again. It is very busy, or its line loses keys; without paging nothing has to be pressed.`;
    case 'log_in_table':
      return `The router printed ${note.lines === 1 ? '1 line' : `${note.lines} lines`} of its log between the rows of its NAT table. A row that one of them cuts in two is left out, and the table then counts as incomplete; log output into sessions can be turned off on the router.`;
    case 'rows_not_supported':
      return `${note.rows === 1 ? '1 row of the NAT table is' : `${note.rows} rows of the NAT table are`} of a form that is not supported (port ranges, IPv6, names of services), and left out of the log.`;
    case 'arp_incomplete':
      return `Only ${note.read} of ${note.declared} ARP entries could be read.`;
    case 'several_descriptors':
      return `The router has several NAT descriptors: ${note.descriptors.join(', ')}. Check that ${note.chosen ?? 'one of them'} is the right one.`;
    case 'console':
      return `Character set ${note.encoding}, ${note.lines} lines and ${note.columns} columns; none of them was changed.`;
    case 'text_withheld':
      return 'Some of what the router says is not shown: it holds a password of this router.';
  }
}
