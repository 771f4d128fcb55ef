// Destinations of events through the API, each a real server: tried, chosen, left in peace, out of reach, told once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { byToldKind } from '#contract/destinations.ts';
import { startDetectionLab } from '../support/detection-lab.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { addDestination, letPass, startToldServer, type ToldServer } from '../support/told-server.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const [listed, second] = ['203.0.113.80', '203.0.113.81'];
const only = (...kinds: (keyof ReturnType<typeof byToldKind>)[]) => ({
  ...byToldKind(false),
  ...Object.fromEntries(kinds.map((kind) => [kind, true])),
});

const newcomer = (server: ToldServer) => server.events().map(({ body }) => /192\.168\.100\.2\d\d/.exec(body)?.[0]);

async function readDelivery(lab: Lab<string>, id: string) {
  const { destinations } = await lab.as.admin.destinations.list({});
  const found = destinations.find((one) => one.id === id);
  if (!found) {
    throw new Error(`there is no destination ${id}`);
  }
  return found.delivery;
}

verifies(
  'rest.destinations.outage',
  'two destinations, one of them away for an hour and the hub started again meanwhile: each is told everything in order',
  async () => {
    await using _watch = watchLeaks();
    await using near = await startToldServer();
    await using far = await startToldServer();
    await using lab = await startLab({ routers: { home: 'vendor_a' } });
    const { admin } = lab.as;
    const tells = only('newDevice');
    const ids = [await addDestination(admin, near, { tells }), await addDestination(admin, far, { tells })] as const;
    const met: string[] = [];
    const meet = async () => {
      const src = `192.168.100.${200 + met.length}`;
      met.push(src);
      lab.routers.home.flow({ src, dst: listed, dport: 443 });
      await lab.poll();
    };
    await meet();
    expect([newcomer(near), newcomer(far)]).toEqual([met, met]);
    far.answer = 503;
    await meet();
    await meet();
    await letPass(lab, 20);
    expect(await readDelivery(lab, ids[1])).toMatchObject({ waiting: 2, lastError: expect.stringContaining('503') });
    await lab.restart();
    await lab.poll();
    await meet();
    await letPass(lab, 40);
    expect(newcomer(near)).toEqual(met);
    expect(newcomer(far)).toEqual(met.slice(0, 1));
    far.answer = 200;
    // The first of them is taken, and its answer is lost: it comes again under its id.
    far.loses = 1;
    await letPass(lab, 25);
    expect(newcomer(far)).toEqual([met[0], met[1], met[1], met[2], met[3]]);
    for (const id of ids) {
      const { waiting, events, lastError } = await readDelivery(lab, id);
      expect([waiting, lastError]).toEqual([0, null]);
      expect(events.map(({ kind, delivery }) => `${kind} ${delivery}`)).toEqual(met.map(() => 'newDevice delivered'));
    }
  },
);

verifies('rest.destinations.tried', 'what refuses a test event is not kept, and its words are the answer', async () => {
  await using _watch = watchLeaks();
  await using server = await startToldServer();
  await using lab = await startLab();
  const { destinations } = lab.as.admin;
  const refused = (words: RegExp) => ({
    status: 400,
    code: 'destination_refused',
    message: expect.stringMatching(words),
  });
  Object.assign(server, { answer: 401, words: 'no such hook' });
  await expect(addDestination(lab.as.admin, server)).rejects.toMatchObject(refused(/401.*no such hook/));
  expect((await destinations.list({})).destinations).toEqual([]);
  server.answer = 200;
  const id = await addDestination(lab.as.admin, server);
  expect(server.taken).toHaveLength(1);
  await destinations.update({ params: { id }, body: { name: 'renamed', settings: server.settings } });
  expect(server.taken).toHaveLength(1);
  await destinations.test({ params: { id }, body: {} });
  expect(server.taken).toHaveLength(2);
  server.answer = 500;
  const changed = { ...server.settings, url: `${server.settings.url}/other` };
  const update = destinations.update({ params: { id }, body: { name: 'again', settings: changed } });
  await expect(update).rejects.toMatchObject(refused(/500/));
  await expect(destinations.test({ params: { id }, body: {} })).rejects.toMatchObject(refused(/500/));
  const kept = (await destinations.list({})).destinations;
  expect(kept).toMatchObject([{ id, name: 'renamed', settings: { url: server.settings.url } }]);
  server.answer = 200;
  const later = lab.clock.now() + 7 * 24 * 60 * minute;
  for (const body of [
    { muteUntil: later },
    { quietHours: { from: '22:00', to: '22:00', timeZone: 'UTC', days: [1] } },
    { quietHours: { from: '22:00', to: '06:00', timeZone: 'Mars/Olympus', days: [1] } },
    { quietHours: { from: '24:00', to: '06:00', timeZone: 'UTC', days: [1] } },
    { settings: { ...server.settings, url: 'ftp://127.0.0.1/' } },
    { fields: { ...byToldKind(null), threat: ['secret'] } },
    { tells: { everything: true } },
  ]) {
    const bad = destinations.update({ params: { id }, body: body as never });
    await expect(bad).rejects.toMatchObject({ status: 400, code: 'invalid_body' });
  }
  expect((await destinations.list({})).destinations).toMatchObject(kept.map(({ delivery: _, ...one }) => one));
  for (let count = 1; count < 10; count += 1) {
    await addDestination(lab.as.admin, server);
  }
  await expect(addDestination(lab.as.admin, server)).rejects.toMatchObject({ status: 409, code: 'destination_limit' });
  await destinations.remove({ params: { id } });
  await expect(destinations.remove({ params: { id } })).rejects.toMatchObject({ status: 404 });
  expect((await destinations.list({})).destinations).toHaveLength(9);
});

verifies('rest.destinations.secrets', 'secrets are in no answer and no file, and follow no other address', async () => {
  await using _watch = watchLeaks();
  await using one = await startToldServer();
  await using other = await startToldServer();
  await using lab = await startLab();
  const { destinations } = lab.as.admin;
  const secret = 'hmac-key-of-the-test';
  const url = `${one.settings.url}/path-of-the-hook`;
  const id = await addDestination(lab.as.admin, one, { settings: { ...one.settings, url, secret } });
  const shown = (await destinations.list({})).destinations;
  expect(shown).toMatchObject([{ settings: { url, secretSet: true } }]);
  expect(JSON.stringify(shown)).not.toContain(secret);
  const file = readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8');
  expect(file).not.toMatch(/hmac-key-of-the-test|path-of-the-hook/);
  const { url: _, ...sameUrl } = one.settings;
  await destinations.update({ params: { id }, body: { settings: sameUrl } });
  expect((await destinations.list({})).destinations).toMatchObject([{ settings: { url, secretSet: true } }]);
  const elsewhere = destinations.update({ params: { id }, body: { settings: other.settings } });
  await expect(elsewhere).rejects.toMatchObject({ status: 400, body: { field: 'settings.secret' } });
  expect(other.requests).toBe(0);
  await destinations.update({ params: { id }, body: { settings: { ...other.settings, secret: '' } } });
  expect((await destinations.list({})).destinations).toMatchObject([{ settings: { secretSet: false } }]);
});

verifies(
  'rest.destinations.choice rest.destinations.muted',
  'kinds, facts and resolutions are as chosen; a muted or expected alert is told to nobody',
  async () => {
    await using _watch = watchLeaks();
    await using all = await startToldServer();
    await using some = await startToldServer();
    await using lab = await startDetectionLab({ isSetUp: false });
    const { admin } = lab.as;
    await addDestination(admin, all, { tells: only('threat', 'hub') });
    const fields = { ...byToldKind(null), threat: ['destination' as const] };
    await addDestination(admin, some, { tells: only('threat'), tellResolved: false, fields });
    const meet = async (dst: string) => {
      lab.contact(dst);
      await lab.poll();
      await lab.list(dst);
      lab.contact(dst);
      await lab.poll();
    };
    await meet(listed);
    for (const { body } of [...all.events(), ...some.events()]) {
      expect(body).toContain(listed);
    }
    expect([all.events().length, some.events().length]).toEqual([1, 1]);
    expect(all.events()[0]?.body).toContain('192.168.100.23');
    expect(some.events()[0]?.body).not.toContain('192.168.100.23');
    const [alert] = (await admin.alerts.list({})).alerts;
    const params = { id: String(alert?.id) };
    await admin.alerts.resolve({ params, body: {} });
    await lab.settled();
    expect(all.events().map(({ state }) => state)).toEqual(['raised', 'resolved']);
    expect(some.events()).toHaveLength(1);
    await admin.alerts.mute({ params, body: { until: lab.clock.now() + 24 * 60 * minute } });
    await lab.advance(120 * minute);
    lab.contact(listed, 8443);
    await lab.poll();
    await meet(second);
    expect(
      all
        .events()
        .slice(2)
        .map(({ body }) => body.includes(second)),
    ).toEqual([true]);
    const expected = (await admin.alerts.list({})).alerts.find(({ target }) => target?.startsWith(second));
    await admin.alerts.expect({ params: { id: String(expected?.id) }, body: { scope: 'network' } });
    await lab.advance(120 * minute);
    lab.contact(second, 8443);
    await lab.poll();
    expect(all.events().filter(({ state }) => state === 'raised')).toHaveLength(2);
  },
);

verifies(
  'rest.destinations.quiet',
  'events wait while a destination is left in peace, then come in order',
  async () => {
    await using _watch = watchLeaks();
    await using strict = await startToldServer();
    await using urgent = await startToldServer();
    await using lab = await startDetectionLab({ isSetUp: false });
    const { admin } = lab.as;
    await admin.detection.saveConfig({ body: { newDevice: { chat: true, history: true } } });
    // The lab begins at 03:00 UTC on a Sunday.
    const quietHours = { from: '23:00', to: '06:00', timeZone: 'UTC', days: [6] };
    const id = await addDestination(admin, strict, { quietHours, dangerAnyway: false });
    await addDestination(admin, urgent, { muteUntil: lab.clock.now() + 150 * minute });
    lab.routers.home.flow({ src: '192.168.100.201', dst: second, dport: 443 });
    await lab.poll();
    lab.contact(listed);
    await lab.poll();
    await lab.list(listed);
    lab.contact(listed);
    await lab.poll();
    expect(strict.events()).toEqual([]);
    expect(urgent.events().map(({ title }) => title)).toEqual(['Known-bad destination']);
    expect(await readDelivery(lab, id)).toMatchObject({ waiting: 3, quietUntil: Date.UTC(2026, 2, 1, 6) });
    await lab.advance(150 * minute);
    expect(urgent.events().map(({ title }) => title)).toEqual(['Known-bad destination', 'New device', 'New device']);
    expect(strict.events()).toEqual([]);
    await lab.advance(40 * minute);
    expect(strict.events().map(({ title }) => title)).toEqual(['New device', 'New device', 'Known-bad destination']);
  },
);

verifies(
  'rest.destinations.routers',
  'routers that are away are told once by themselves, or once for all',
  async () => {
    await using _watch = watchLeaks();
    await using server = await startToldServer();
    await using lab = await startLab({ routers: { one: 'vendor_a', two: 'vendor_b' } });
    await addDestination(lab.as.admin, server, { tells: only('router', 'newDevice', 'beacon', 'threat') });
    const { one, two } = lab.routers;
    const titles = () => server.events().map(({ title }) => title);
    one.fail('drop');
    one.fail('closed-early');
    await letPass(lab, 4);
    expect(titles()).toEqual([]);
    await letPass(lab, 8);
    expect(titles()).toEqual(['A router cannot be reached']);
    expect(server.events()[0]?.body).toContain('one');
    await lab.restart();
    one.clearFaults();
    await letPass(lab, 12);
    expect(titles()).toEqual(['A router cannot be reached', 'A router can be reached again']);
    for (const router of [one, two]) {
      router.fail('drop');
      router.fail('closed-early');
    }
    await letPass(lab, 20);
    expect(titles().slice(2)).toEqual(["No router can be reached: check the hub's own network"]);
    for (const router of [one, two]) {
      router.clearFaults();
    }
    await letPass(lab, 15);
    expect(titles().slice(3)).toEqual(['Routers can be reached again']);
  },
);
