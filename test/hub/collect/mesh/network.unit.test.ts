// What is read of the list of a mesh access point: each bound of each field, and what is left out.
import { expect, test } from 'vitest';
import { parseNetwork } from '#hub/collect/mesh/network.ts';

const node = { id: 'n1', name: 'Hall', mac: '00-00-5E-00-53-01', role: 'main', online: true };
const client = {
  ...{ mac: '00:00:5e:00:53:10', ip: '192.168.100.10', name: 'Phone', node: 'n1', band: '5', signal: -51.6 },
  idleSec: 7,
};
const read = { ...client, node: 'Hall', signal: -52 };

const parse = (nodes: unknown[], clients: unknown[]) => parseNetwork({ nodes, clients });
const clientsOf = (entry: object) => parse([node], [{ ...client, ...entry }])?.clients ?? [];

test('nodes with how many clients each has, clients with the name of their node', () => {
  const second = { ...node, id: 'n2', name: ' ', mac: '00:00:5e:00:53:02', role: 'satellite', online: false };
  const elsewhere = { ...client, mac: '00:00:5e:00:53:11', node: 'n9' };
  expect(parse([node, second], [client, { ...client, mac: '00:00:5E:00:53:12' }, elsewhere])).toEqual({
    nodes: [
      { ...node, mac: '00:00:5e:00:53:01', clients: 2 },
      { ...second, name: 'n2', clients: 0 },
    ],
    clients: [read, { ...read, mac: '00:00:5e:00:53:12' }, { ...read, mac: '00:00:5e:00:53:11', node: null }],
    dropped: 0,
  });
});

test('two nodes of one name have their own clients', () => {
  const second = { ...node, id: 'n2', mac: '00:00:5e:00:53:02' };
  const found = parse([node, second], [client, { ...client, mac: '00:00:5e:00:53:11', node: 'n2' }, client]);
  expect(found?.nodes.map(({ id, clients }) => [id, clients])).toEqual([
    ['n1', 2],
    ['n2', 1],
  ]);
  expect(found?.clients.map((one) => one.node)).toEqual(['Hall', 'Hall', 'Hall']);
});

test.each([null, 7, [], {}, { nodes: [] }, { clients: [] }, { nodes: {}, clients: [] }, 'text'])(
  '%j is no list',
  (text) => expect(parseNetwork(text)).toBeNull(),
);

test.each([
  ...[{ signal: -120 }, { signal: 0 }, { signal: -60.4 }, { idleSec: 0 }, { idleSec: 31_536_000 }],
  ...[{ band: '2.4' }, { band: '6' }],
])('%j is taken', (entry) => {
  const rounded = 'signal' in entry ? { signal: Math.round(entry.signal ?? 1) } : {};
  expect(clientsOf(entry)).toEqual([{ ...read, ...entry, ...rounded }]);
});

test.each([
  [{ signal: -120.1 }, { signal: null }],
  [{ signal: 1 }, { signal: null }],
  [{ signal: 'strong' }, { signal: null }],
  [{ signal: null }, { signal: null }],
  [{ band: '60' }, { band: null }],
  [{ band: undefined }, { band: null }],
  [{ idleSec: -1 }, { idleSec: 0 }],
  [{ idleSec: 31_536_001 }, { idleSec: 0 }],
  [{ idleSec: undefined }, { idleSec: 0 }],
  [{ ip: 'nowhere' }, { ip: null }],
  [{ ip: undefined }, { ip: null }],
  [{ name: ' ' }, { name: null }],
  [{ name: null }, { name: null }],
  [{ node: null }, { node: null }],
])('%j is read as %j', (entry, expected) => expect(clientsOf(entry)).toEqual([{ ...read, ...expected }]));

test.each([
  ...[{ mac: 'x' }, { mac: undefined }, { mac: '0'.repeat(33) }, { ip: '1'.repeat(65) }, { name: 'n'.repeat(129) }],
  ...[{ node: 'n'.repeat(129) }],
])('a client with %j is left out', (entry) =>
  expect(parse([node], [{ ...client, ...entry }, client])).toMatchObject({ clients: [read], dropped: 1 }),
);

test.each([{ mac: 'x' }, { id: '' }, { role: 'other' }, { online: 'yes' }, { name: 'n'.repeat(129) }])(
  'a node with %j is left out',
  (entry) => expect(parse([{ ...node, ...entry }, node], [])).toMatchObject({ nodes: [{ id: 'n1' }], dropped: 1 }),
);

test('of a list without end 64 nodes and 2,000 clients are taken, and the rest is counted', () => {
  const nodes = Array.from({ length: 65 }, (_, at) => ({ ...node, id: `n${at}`, name: `n${at}` }));
  const clients = Array.from({ length: 2001 }, () => client);
  const found = parse(nodes, clients);
  expect([found?.nodes.length, found?.clients.length, found?.dropped]).toEqual([64, 2000, 2]);
});
