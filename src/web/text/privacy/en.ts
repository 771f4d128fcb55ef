// English of what is not kept. Every other language has the same keys, and functions with the same parameters.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  title: 'Not kept',
  notKept: 'Do not keep where this device connects',
  consequence:
    'From now on its connections are counted without destination. They are in no list, map, export, backup or message, and nobody can look them up later. What was kept before stays until it is erased.',
  isMarked: 'Where this device connects is not kept, as chosen.',
  byOther: 'A rule for a range or for guests covers this device: Settings, Privacy.',
  counted: (count: number, shown: string) =>
    `${shown} ${many(count, 'connection', 'connections')} counted without destination in this period.`,
  keep: 'Keep destinations again',
  keepTitle: (name: string) => `Keep where ${name} connects again?`,
  keepHelp: 'New connections are stored with their destinations. What was not kept cannot be brought back.',
  erase: 'Erase what was kept',
  eraseTitle: (name: string) => `Erase what was kept of ${name}?`,
  eraseHelp:
    'Its connections, their destinations, and the alerts about them are erased for good. Backups, ClickHouse and stored conversations with AI are not touched.',
  erasing: 'An erasure runs.',
  erased: (connections: string, destinations: string) =>
    `Erased connections: ${connections}; destinations that no other device has: ${destinations}.`,
  failed: 'The last erasure failed. What it had erased is gone; start it again.',
  remains: (backups: string, hours: string, conversations: string) =>
    `Not touched: backups: ${backups}; hours in ClickHouse: ${hours}; conversations with AI: ${conversations}.`,
  rules: 'Devices whose destinations are not kept',
  rulesHelp: 'Their connections are counted and nothing else. Coverage shows this as chosen, not as a gap.',
  none: 'The destinations of all devices are kept.',
  kinds: { device: 'Device', range: 'Addresses', guests: 'Guests' },
  covers: (count: number, shown: string) => `${shown} ${many(count, 'device', 'devices')} now`,
  since: (at: string, by: string) => `since ${at}, by ${by}`,
  told: 'threats are told',
  add: 'Add',
  kind: 'What',
  value: 'Which',
  valueHelp: 'A MAC address; or an address, or address/length. Leave it empty for guests.',
  guestsHelp: 'Guests are devices that appear after the rule is made, until somebody writes a note for them.',
  tellThreats: 'Tell threats all the same',
  tellThreatsHelp: 'The alert names the destination and is stored.',
} as const;

export type PrivacyDictionary = Same<typeof en>;
