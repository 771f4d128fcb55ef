// English of the map.
import type { Same } from '../en.ts';
import { many } from '../plural.ts';

export const en = {
  views: 'View',
  lanes: 'Lanes',
  graph: 'Graph',
  world: 'World',
  selection: 'Selection',
  device: 'Device',
  target: 'Organisation or host',
  address: 'Address',
  country: 'Country',
  kind: 'Kind',
  name: 'Name',
  connections: 'Connections',
  level: 'Level',
  lastSeen: 'Last seen',
  clear: 'Show everything',
  remove: (kind: string, name: string) => `Remove from the selection: ${kind} ${name}`,
  total: (count: number, shown: string) => `${shown} ${many(count, 'connection', 'connections')}`,
  unjudged: 'A connection without a mark was not checked.',
  partlyJudged: 'A connection without a mark may not have been checked.',
  notJudged: 'not checked',
  noneSelected: 'Nothing in this period matches the selection.',
  noneSelectedHelp: 'Show everything, or choose a longer period.',
  otherDevices: (count: number, shown: string) => `${shown} other ${many(count, 'device', 'devices')}`,
  otherTargets: (count: number, shown: string) => `${shown} other ${many(count, 'target', 'targets')}`,
  lanesLabel: (devices: string, targets: string) =>
    `Curves from ${devices} devices on the left to ${targets} organisations and hosts on the right. The table has the details.`,
  graphLabel: (nodes: string, edges: string) =>
    `A graph of ${nodes} devices and destinations with ${edges} lines. The table has the details.`,
  worldLabel: (countries: string) => `A map of the world with ${countries} countries coloured by connections.`,
  legendDanger: 'octagon, long dashes: danger',
  legendWarn: 'triangle, short dashes: warning',
  legendDevice: 'square: device',
  legendTarget: 'circle: organisation, host or address',
  legendPlace: 'dot: a known place',
  legendMore: 'The stronger the colour, the more connections.',
  shownNodes: (shown: string, all: string) =>
    `${shown} of ${all} devices and destinations are shown, those with the most connections.`,
  allNodes: (all: string) => `All ${all} devices and destinations are shown.`,
  shownEdges: (shown: string) => `Only the ${shown} lines with the most connections are drawn.`,
  shownRows: (shown: string, all: string) => `The ${shown} rows with the most connections, of ${all}.`,
  settling: 'The graph is being arranged.',
  larger: 'Zoom in',
  smaller: 'Zoom out',
  fit: 'Show all',
  noCountry: (share: string) => `(${share}) are not on the map: their country is not known.`,
  noPlace: (share: string) => `(${share}) have no dot: only their country is known, or not even that.`,
  scale: 'Connections of a country',
  unknownCountry: 'Country not known',
  notDrawn: (names: string) => `Not on the map, because the outline is missing: ${names}`,
  placesCut: (shown: string, all: string) => `${shown} of ${all} places are shown.`,
  tableOf: { lanes: 'Device–destination pairs', graph: 'Devices and destinations', world: 'Countries' },
} as const;

export type MapDictionary = Same<typeof en>;
