// No secret of a router leaves the hub, whatever the router says: every fault of both simulators, with marked secrets.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { type RouterFault, routerFaults } from '#simulators/router/faults.ts';
import { secretPlaces } from '#simulators/router/secret-places.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { type Lab, recordOf, startLab } from '../../../support/lab.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { kinds } from './polls.ts';

const mark = () => `Mk${randomBytes(11).toString('hex')}Z`;

/** What a fault needs to show in a poll; `{}` for the others. */
const optionsOf: Partial<Record<RouterFault, readonly FaultOptions[]>> = {
  'secret-shown': Object.keys(secretPlaces).map((value) => ({ value })),
  'privilege-error': [{}, { value: '% Access denied' }],
  truncated: ['destroy', 'end', 'close'].map((value) => ({ value, command: 'show', afterBytes: 400 })),
  stall: [{ command: 'show', afterBytes: 400 }],
  drop: [{ command: 'show', afterBytes: 400 }],
  kicked: [{ command: 'show', afterBytes: 400 }],
  'half-open': [{ command: 'show' }],
  reboot: [{ value: 30_000 }],
  garbage: [{}, { value: 5000 }],
  'slow-output': [{ value: 40_000 }],
  endless: [{ command: 'show' }],
  // An answer that is kept as lines, of both kinds: 8 MB.
  'endless-line': [{ command: 'show arp' }, { command: 'show clock' }],
};

const cases = Object.keys(routerFaults).flatMap((fault) =>
  (optionsOf[fault as RouterFault] ?? [{}]).map((options) => ({ fault: fault as RouterFault, options })),
);

/** What shows a secret by itself always; of the other faults a share, another one for each kind of router. */
const casesOf = (kind: RouterKind) =>
  cases.filter(({ fault }, index) => fault === 'secret-shown' || (index + kinds.indexOf(kind)) % runs(4, 1) === 0);

describe.each(kinds)(`%s: ${budget(1, 4, 'quarters of the faults')}`, (kind) => {
  const secrets = kind === 'vendor_a' ? [mark()] : [mark(), mark()];
  const [password = '', enable = null] = secrets;
  const logged: string[] = [];
  const streamed: string[] = [];
  let lab: Lab<'one'>;
  let events: http.ClientRequest;
  let viewer: string;

  beforeAll(async () => {
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    lab = await startLab({ routers: { one: { kind, sessions: 30, credentials: { password, enable } } }, hub: { log } });
    const { token } = await lab.as.admin.auth.createIdentity({
      body: { label: 'viewer', permissions: ['network.read'], expiresInMs: 31_000_000_000 },
    });
    viewer = token;
    const headers = { 'x-admin-token': lab.adminToken };
    events = http.get(new URL('/api/events', lab.url), { headers, agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => streamed.push(text));
      answer.on('error', () => undefined);
    });
    events.on('error', () => undefined);
  });

  afterAll(async () => {
    events.destroy();
    await lab[Symbol.asyncDispose]();
  });

  const poll = async () => {
    await lab.throughSilence(
      lab.as.admin.routers.update({ params: { id: lab.routers.one.id }, body: { enabled: true } }),
    );
    await lab.settleThroughSilence();
  };

  /** Every text somebody could read, by where it stands. */
  async function texts(isThorough: boolean): Promise<Record<string, string>> {
    const get = async (name: string, token: string) =>
      (await lab.as.raw({ method: 'GET', path: name, headers: { 'x-admin-token': token } })).text;
    const post = async (name: string, body: object) =>
      (await lab.throughSilence(lab.as.raw({ method: 'POST', path: name, body: JSON.stringify(body), headers: json })))
        .text;
    const json = { 'content-type': 'application/json' };
    const found: Record<string, string> = {};
    for (const name of ['/api/routers', '/api/devices', '/api/status', '/api/connections']) {
      found[`${name} as a viewer`] = await get(name, viewer);
      found[`${name} as the admin`] = await get(name, lab.adminToken);
    }
    const { one } = lab.routers;
    found['POST /api/routers/detect'] = await post('/api/routers/detect', recordOf(one, 'one'));
    if (isThorough) {
      const [route, prefix] = kind === 'vendor_a' ? ['vendor-a', 'vendorA'] : ['vendor-b', 'vendorB'];
      found['legacy detection'] = await post(`/api/${route}/detect`, { [`${prefix}Ip`]: '127.0.0.1' });
    }
    found.log = logged.join('');
    found.events = streamed.join('');
    for (const entry of readdirSync(lab.dataDir, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) {
        found[entry.name] = readFileSync(path.join(entry.parentPath, entry.name), 'latin1');
      }
    }
    return found;
  }

  /** Where a secret shows: whole, or as a third of it, in any case, however blanks or quotes cut it. */
  async function leaks(isThorough = true): Promise<string[]> {
    const found: string[] = [];
    for (const [where, text] of Object.entries(await texts(isThorough))) {
      const plain = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      for (const secret of secrets) {
        const third = Math.ceil(secret.length / 3);
        const pieces = [secret, ...[0, 1, 2].map((at) => secret.slice(at * third, (at + 1) * third))];
        if (pieces.some((piece) => plain.includes(piece.toLowerCase()))) {
          found.push(where);
        }
      }
    }
    return [...new Set(found)];
  }

  test('the secrets are typed, so that there is something to leak', async () => {
    const { journal, commands } = lab.routers.one;
    expect(journal()).toContainEqual(expect.objectContaining({ kind: 'login', accepted: true }));
    expect(commands.includes('enable')).toBe(kind === 'vendor_b');
    expect(await leaks()).toEqual([]);
  });

  test.each(casesOf(kind))('$fault $options', async ({ fault, options }) => {
    const router = lab.routers.one;
    logged.length = 0;
    streamed.length = 0;
    router.clearJournal();
    router.kick();
    router.fail(fault, options);
    await poll();
    expect(await leaks(fault === 'secret-shown')).toEqual([]);
    router.clearFaults();
    await lab.clock.advance(90_000);
    await poll();
    expect(await lab.as.admin.routers.list({})).toMatchObject({ routers: [{ state: 'ready', failure: null }] });
  });
});
