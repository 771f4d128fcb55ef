// What others say of themselves and is shown: no character of it turns, hides or commands the text around it.
import { expect, test } from 'vitest';
import { startMesh } from '#simulators/mesh/access-point.ts';
import { startDetectionLab } from '../support/detection-lab.ts';
import { startLab } from '../support/lab.ts';
import { device, startThreatLab } from '../support/threat-lab.ts';

const unseen = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Controls, direction marks, zero-width characters, a line end of Unicode. */
const hostile = '\x1b]0;owned\x07\u009b2J\u202e\u2066\u200f\u200b\u2060\ufeff\u2028\x7f';
/** Of these those that no format of a feed takes for a line end or a control. */
const turning = '\u202e\u2066\u200f\u200b\u2060';

function textsIn(value: unknown): string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
    : [String(value)];
}

function expectVisible(answer: unknown, ...words: readonly string[]): void {
  const texts = textsIn(answer);
  expect(texts.filter((text) => unseen.test(text))).toEqual([]);
  // Replaced, not dropped: that something stood there is seen.
  for (const word of words) {
    expect(texts).toContainEqual(expect.stringMatching(new RegExp(`${word}.*\ufffd.*${word}`)));
  }
}

test('a mesh access point: nodes and clients, also as devices', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  await using mesh = await startMesh({ clock: lab.clock });
  const { nodes, clients } = mesh.settings;
  mesh.patch({
    nodes: nodes.map((node) => ({ ...node, id: `id${hostile}${node.id}`, name: '\u202e' })),
    clients: clients.map((client) => ({ ...client, node: `id${hostile}${client.node}`, name: `tv${hostile}tv` })),
  });
  const { user: username, password } = mesh.credentials;
  await lab.as.admin.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
  await lab.settled();
  const network = await lab.as.admin.mesh.network({});
  expect(network.clients.length).toBeGreaterThan(3);
  expect(network.clients.every(({ node }) => node !== null)).toBe(true);
  expectVisible(network);
  expectVisible((await lab.as.admin.devices.list({})).devices);
});

test('a feed: tags and addresses', async () => {
  await using lab = await startThreatLab({
    router: true,
    rows: {
      ioc: [{ value: '203.0.113.77:8443', malware: `Rat${hostile.replace('\u2028', '')}Rat` }],
      url: [{ url: `http://203.0.113.120:58801/i${turning}i`, tags: `Moz${turning}Moz` }],
      drop: [{ cidr: '192.0.2.0/24', sbl: `SBL${hostile}SBL` }],
    },
  });
  for (const [dst, dport] of [
    ['203.0.113.77', 8443],
    ['203.0.113.120', 58_801],
    ['192.0.2.200', 443],
  ] as const) {
    lab.routers.home.flow({ src: device, dst, dport, proto: 'tcp' });
  }
  await lab.poll();
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '100' } });
  expectVisible(connections, 'Rat', 'Moz', 'SBL', 'i');
  expectVisible((await lab.as.admin.detection.log({})).logs, 'Rat');
});

test('a chat workspace: the team, the bot and the members', async () => {
  await using lab = await startDetectionLab();
  const { members } = lab.chat.settings;
  lab.chat.patch({
    team: `Team${hostile}Team`,
    members: members.map((member) => ({
      ...member,
      realName: `Name${hostile}Name`,
      displayName: `Shown${hostile}Shown`,
    })),
  });
  expectVisible(await lab.as.admin.chat.verify({ body: {} }), 'Team');
  expectVisible(await lab.as.admin.chat.lookupUser({ body: { username: 'owner' } }), 'Name', 'Shown');
});
