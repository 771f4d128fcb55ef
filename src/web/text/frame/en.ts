// English of what the frame opens. Every other language has the same keys, and functions with the same parameters.
import type { KeyName } from '../../frame/keys.ts';
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  lost: {
    title: 'Page not found',
    at: (address: string) => `There is no page at ${address}.`,
    help: 'These pages exist:',
  },
  custom: {
    title: 'Custom period',
    from: 'From',
    to: 'To',
    show: 'Show this period',
    problems: {
      missing: 'Enter a date and a time in both fields.',
      order: 'The start must be before the end.',
      future: 'The end is in the future. Choose the current time or an earlier one.',
    },
  },
  who: {
    methods: {
      local: 'Logged in with the password',
      oidc: 'Logged in through your organisation',
      'api-token': 'Admin token',
      'api-identity': 'API identity',
    },
    roles: { viewer: 'Viewer', operator: 'Operator', admin: 'Administrator' },
    permissions: (count: number) => `${count} ${many(count, 'permission', 'permissions')}`,
    until: (at: string) => `Valid until ${at}`,
  },
  search: {
    title: 'Search',
    label: 'Search devices, addresses, host names, organisations, countries and pages',
    hint: 'Type a name, an address, an organisation, a country or a setting. Choose with the arrow keys, open with Enter.',
    of: (period: string) => `Connections of: ${period}`,
    none: 'Nothing with this name was found. Use the rows below to search the connections.',
    found: (count: number, shown: string) => `${shown} ${many(count, 'result', 'results')}`,
    groups: {
      log: 'Search the connections',
      places: 'Pages',
      settings: 'Settings',
      devices: 'Devices',
      addresses: 'Addresses',
      hosts: 'Host names',
      organisations: 'Organisations',
      countries: 'Countries',
    },
    rows: {
      fDst: (words: string) => `Address or host name contains ${words}`,
      fOrg: (words: string) => `Organisation contains ${words}`,
      fSrc: (words: string) => `Device contains ${words}`,
    },
    connections: (count: number, shown: string) => `${shown} ${many(count, 'connection', 'connections')}`,
  },
  help: {
    title: 'Keyboard shortcuts',
    groups: {
      page: 'Everywhere',
      log: 'In the table of connections',
      edges: 'On the edge of a column heading',
      alerts: 'In alerts',
      chart: 'In the chart of connections over time',
    },
    goTo: (place: string) => `Go to ${place}`,
    or: 'or',
    afterwards: 'then',
    outside: 'Shortcuts do not work while you type in a field.',
    keys: {
      search: 'Search',
      help: 'Show keyboard shortcuts',
      close: 'Close what is open',
      rowBefore: 'Row above',
      rowAfter: 'Row below',
      cellBefore: 'Cell to the left',
      cellAfter: 'Cell to the right',
      openRow: 'Open the row',
      only: 'Only rows with the value of this cell',
      not: 'Only rows with another value',
      narrower: 'Make the column narrower',
      wider: 'Make the column wider',
      usualWidth: 'Restore the width of the column',
      alertAfter: 'Next alert',
      alertBefore: 'Previous alert',
      expect: 'Mark as expected',
      mute: 'Mute',
      resolve: 'Resolve',
      undo: 'Undo the last action',
      barBefore: 'Bar to the left',
      barAfter: 'Bar to the right',
      lessBars: 'Choose more bars to the left',
      moreBars: 'Choose more bars to the right',
      zoom: 'Show the period of the chosen bars',
      noZoom: 'Clear the choice of bars',
    } satisfies Record<KeyName, string>,
  },
} as const;

export type FrameDictionary = Same<typeof en>;
