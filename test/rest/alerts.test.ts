// Alerts over HTTP: detections by cause, what people do with them, what reopens them, and the rules that keep them quiet.
import { expect, test } from 'vitest';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { readEvents } from '../support/event-reader.ts';
import { verifies } from '../support/verifies.ts';

const listed = '203.0.113.80';
const other = '192.168.100.24';
const minute = 60_000;
const day = 1440 * minute;

/** A contact of the device with the listed address is in the log; returns its alert. */
async function raiseAlert(lab: DetectionLab) {
  lab.contact(listed);
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
  const { alerts } = await lab.as.admin.alerts.list({});
  expect(alerts).toHaveLength(1);
  return alerts[0] ?? expect.fail('there is no alert');
}

/** Another device contacts the listed address. */
async function raiseFromOther(lab: DetectionLab): Promise<void> {
  lab.routers.home.flow({ src: other, dst: listed, dport: 443, proto: 'tcp', lastsMs: 90_000, ends: 'silent' });
  await lab.poll();
  await lab.list(listed);
  await lab.poll();
}

const readAlert = async (lab: DetectionLab, id: number) =>
  await lab.as.admin.alerts.detail({ params: { id: String(id) } });
const post = (lab: DetectionLab, path: string, body: object) =>
  lab.as.raw({
    method: 'POST',
    path,
    headers: { 'x-admin-token': lab.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const readState = async (lab: DetectionLab, id: number) => (await readAlert(lab, id)).alert.state;

verifies(
  'rest.alerts.one-per-cause rest.alerts.acknowledged-opens',
  'devices that contact one listed destination are one alert, told once; what is acknowledged opens for another device',
  async () => {
    await using lab = await startDetectionLab();
    const alert = await raiseAlert(lab);
    expect(alert).toMatchObject({
      kind: 'threat',
      level: 'danger',
      state: 'open',
      deviceCount: 1,
      ports: [443],
      times: 1,
    });
    expect(alert.devices).toEqual([expect.objectContaining({ src: device, times: 1 })]);
    const params = { id: String(alert.id) };
    await lab.as.admin.alerts.acknowledge({ params, body: { note: 'I look at it' } });
    expect(await readAlert(lab, alert.id)).toMatchObject({ alert: { state: 'acknowledged', note: 'I look at it' } });
    await raiseFromOther(lab);
    const detail = await readAlert(lab, alert.id);
    expect(detail.alert).toMatchObject({ state: 'open', deviceCount: 2, times: 2, note: null });
    expect(detail.detections).toHaveLength(2);
    expect(detail.history.map(({ action, by }) => [action, by === null])).toEqual([
      ['recur', true],
      ['acknowledge', false],
    ]);
    expect(lab.told()).toHaveLength(2);
  },
);

verifies(
  'rest.alerts.muted',
  'an alert that is muted is not told and needs no look, until the mute ends by time',
  async () => {
    await using lab = await startDetectionLab();
    const { id } = await raiseAlert(lab);
    const params = { id: String(id) };
    const until = lab.clock.now() + day;
    const muted = await lab.as.admin.alerts.mute({ params, body: { until, note: 'known' } });
    expect(muted.alerts).toEqual([expect.objectContaining({ id, state: 'muted', until, note: 'known' })]);
    await raiseFromOther(lab);
    expect(lab.told()).toHaveLength(1);
    const page = await lab.as.admin.alerts.list({});
    expect(page.counts).toEqual({ open: 0, acknowledged: 0, muted: 1, expected: 0, resolved: 0 });
    expect(page).toMatchObject({ urgent: 0, handled: 1, clearSince: expect.any(Number) });
    await lab.skip(day);
    expect(await readAlert(lab, id)).toMatchObject({ alert: { state: 'open', since: until, until: null }, rules: [] });
  },
);

verifies(
  'rest.alerts.expected',
  'what is expected of one device leaves the alert open for another; of the network it does not',
  async () => {
    await using lab = await startDetectionLab();
    const { id, devices } = await raiseAlert(lab);
    const params = { id: String(id) };
    const [{ device: key = '' } = {}] = devices;
    await lab.as.admin.alerts.expect({ params, body: { scope: 'device', note: 'its maker' } });
    expect(await readState(lab, id)).toBe('expected');
    await raiseFromOther(lab);
    expect(await readState(lab, id)).toBe('open');
    const refused = await post(lab, `/api/alerts/${id}/expect`, { scope: 'device' });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('alert_scope') });
    const { events } = await lab.as.admin.alerts.expect({ params, body: { scope: 'network' } });
    expect(await readState(lab, id)).toBe('expected');
    const { rules } = await lab.as.admin.alerts.rules({ query: { q: 'MAKER' } });
    expect(rules).toEqual([expect.objectContaining({ effect: 'expect', scope: 'device', device: key, kind: null })]);
    await lab.as.admin.alerts.undo({ params, body: { eventId: events[0]?.eventId ?? 0 } });
    expect(await readState(lab, id)).toBe('open');
    expect((await lab.as.admin.alerts.rules({})).rules).toHaveLength(1);
  },
);

verifies('rest.alerts.undo', 'every action is undone, in any order that leads back to where it began', async () => {
  await using lab = await startDetectionLab();
  const { id } = await raiseAlert(lab);
  const params = { id: String(id) };
  const { alerts } = lab.as.admin;
  const resolved = await alerts.resolve({ params, body: { note: 'cleaned' } });
  const reopened = await alerts.reopen({ params, body: {} });
  expect(await readState(lab, id)).toBe('open');
  const undo = (done: { events: { eventId: number }[] }) =>
    post(lab, `/api/alerts/${id}/undo`, { eventId: done.events[0]?.eventId });
  expect(await undo(resolved)).toMatchObject({ status: 409, text: expect.stringContaining('alert_changed') });
  expect(await undo(reopened)).toMatchObject({ status: 200 });
  expect(await readAlert(lab, id)).toMatchObject({ alert: { state: 'resolved', note: 'cleaned' } });
  expect(await undo(resolved)).toMatchObject({ status: 200 });
  expect(await readAlert(lab, id)).toMatchObject({ alert: { state: 'open', note: null } });
  expect(await undo(resolved)).toMatchObject({ status: 409 });
});

verifies(
  'rest.alerts.undo-reopen',
  'the undo of a reopen brings back the rules that it ended; a mute whose time is over stays ended, and the answer says so',
  async () => {
    await using lab = await startDetectionLab();
    const { id } = await raiseAlert(lab);
    const params = { id: String(id) };
    const { alerts } = lab.as.admin;
    const reopenAndUndo = async (waits: number) => {
      const { events } = await alerts.reopen({ params, body: {} });
      expect(await readAlert(lab, id)).toMatchObject({ alert: { state: 'open' }, rules: [] });
      await lab.skip(waits);
      return await alerts.undo({ params, body: { eventId: events[0]?.eventId ?? 0 } });
    };
    await alerts.expect({ params, body: { note: 'its maker' } });
    const expected = await readAlert(lab, id);
    const back = await reopenAndUndo(day);
    expect(back).toMatchObject({ lapsed: [], alerts: [{ state: 'expected', note: 'its maker' }] });
    expect((await readAlert(lab, id)).rules).toEqual(expected.rules);
    expect((await alerts.rules({})).rules).toEqual(expected.rules);
    await alerts.undo({ params, body: { eventId: expected.history[0]?.id ?? 0 } });
    await alerts.mute({ params, body: { until: lab.clock.now() + day } });
    expect(await reopenAndUndo(minute)).toMatchObject({ lapsed: [], alerts: [{ state: 'muted' }] });
    expect(await reopenAndUndo(day)).toMatchObject({ lapsed: [id], alerts: [{ state: 'open' }] });
    expect((await alerts.rules({})).rules).toEqual([]);
  },
);

verifies(
  'rest.alerts.undo-at-once',
  'actions on several alerts are taken back in one request; what another action followed stays and is named',
  async () => {
    await using lab = await startDetectionLab();
    const destinations = [listed, '203.0.113.81', '203.0.113.82'];
    for (const dst of destinations) {
      lab.contact(dst);
    }
    await lab.poll();
    for (const dst of destinations) {
      await lab.list(dst);
    }
    await lab.poll();
    const { alerts } = lab.as.admin;
    const ids = (await alerts.list({})).alerts.map(({ id }) => id);
    expect(ids).toHaveLength(3);
    const states = async () => (await Promise.all(ids.map((id) => readState(lab, id)))).join(' ');
    const { events } = await alerts.muteMany({ body: { ids, until: lab.clock.now() + day } });
    const [first] = ids;
    await alerts.reopen({ params: { id: String(first) }, body: {} });
    expect(await states()).toBe('open muted muted');
    using told = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });

    const unknown = [events[1], { alertId: events[2]?.alertId, eventId: 4711 }];
    expect(await post(lab, '/api/alerts/undo', { events: unknown })).toMatchObject({ status: 404 });
    const twice = await post(lab, '/api/alerts/undo', { events: [events[1], events[1]] });
    expect(twice).toMatchObject({ status: 400, text: expect.stringContaining('must name each alert once') });
    expect(await states()).toBe('open muted muted');

    const undone = await alerts.undoMany({ body: { events } });
    expect(undone.left).toEqual(events.filter(({ alertId }) => alertId === first));
    expect(undone.alerts.map(({ id, state }) => [id, state])).toEqual(ids.slice(1).map((id) => [id, 'open']));
    expect((await told.next('alerts')).data).toMatchObject({ ids: ids.slice(1), open: 3 });
    const again = await alerts.undoMany({ body: { events } });
    expect(again).toMatchObject({ alerts: [], events: [], left: events });
  },
);

verifies('rest.alerts.resolved-opens', 'a resolved alert opens at the next contact', async () => {
  await using lab = await startDetectionLab();
  await lab.as.admin.chat.saveConfig({ body: { cooldownMinutes: 5 } });
  const { id } = await raiseAlert(lab);
  await lab.as.admin.alerts.resolve({ params: { id: String(id) }, body: {} });
  await lab.skip(6 * minute);
  lab.contact(listed);
  await lab.poll();
  expect(await readState(lab, id)).toBe('open');
  expect(lab.told()).toHaveLength(2);
});

verifies(
  'rest.alerts.tell-resolved',
  'the workspace learns once that an alert it was told of is resolved, where that is wanted',
  async () => {
    await using lab = await startDetectionLab({ hub: { publicUrl: new URL('https://gatehouse.example.net/in') } });
    const { id } = await raiseAlert(lab);
    const { alerts, chat } = lab.as.admin;
    const resolve = (note?: string) => alerts.resolveMany({ body: { ids: [id], note } });
    /** Messages are a second of the hub's time apart. */
    const told = () =>
      expect.poll(async () => {
        await lab.skip(2000);
        return lab.told().map((text) => text.split('*')[1]);
      });
    const resolved = 'Resolved: Known-bad destination';
    const reopen = async () => void (await alerts.reopen({ params: { id: String(id) }, body: {} }));
    await resolve();
    await chat.saveConfig({ body: { tellResolved: true } });
    // It was resolved before.
    await resolve();
    await reopen();
    await resolve('cleaned');
    await told().toEqual(['Known-bad destination', resolved]);
    const [, said = ''] = lab.told();
    const lines = said.split('\n').slice(1);
    expect(lines).toEqual([
      `<https://gatehouse.example.net/in/alerts?alert=${id}|Open this alert>`,
      '• Device: `192.168.100.23`',
      '• Destination: `203[.]0[.]113[.]80 443`',
      '• Resolved by: `admin-token`',
      '• Note: `cleaned`',
    ]);
    await reopen();
    await alerts.expect({ params: { id: String(id) }, body: {} });
    await resolve();
    await raiseFromOther(lab);
    await reopen();
    await resolve('again');
    await told().toEqual(['Known-bad destination', resolved, resolved]);
  },
);

verifies(
  'rest.alerts.at-once',
  'many at once: all, or none when one of them is unknown; pages learn of it',
  async () => {
    await using lab = await startDetectionLab();
    const { id } = await raiseAlert(lab);
    using events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    const listed = async (query: string) => (await lab.as.raw({ method: 'GET', path: `/api/alerts?${query}` })).status;
    expect(await Promise.all(['state=open&state=muted', 'state=closed', 'limit=201', 'before=x'].map(listed))).toEqual([
      200, 400, 400, 400,
    ]);
    const refused = await post(lab, '/api/alerts/resolve', { ids: [id, id + 7] });
    expect(refused).toMatchObject({ status: 404, text: expect.stringContaining('not_found') });
    expect(await readState(lab, id)).toBe('open');
    await lab.as.admin.alerts.resolveMany({ body: { ids: [id, id] } });
    expect(await readState(lab, id)).toBe('resolved');
    expect((await events.next('alerts')).data).toMatchObject({ ids: [id], open: 0 });
    await lab.as.admin.alerts.reopenMany({ body: { ids: [id] } });
    expect((await events.next('alerts')).data).toMatchObject({ ids: [id], open: 1 });
    await lab.as.admin.alerts.acknowledgeMany({ body: { ids: [id], note: 'all of them' } });
    expect(await readAlert(lab, id)).toMatchObject({ alert: { state: 'acknowledged', note: 'all of them' } });
  },
);

verifies(
  'rest.alerts.rule-history',
  'what is done to a rule is in the history of its alert and is taken back like an action',
  async () => {
    await using lab = await startDetectionLab();
    const { id } = await raiseAlert(lab);
    const { alerts } = lab.as.admin;
    await alerts.expect({ params: { id: String(id) }, body: { note: 'its maker' } });
    const [rule] = (await alerts.rules({})).rules;
    const params = { id: String(rule?.id) };
    const until = lab.clock.now() + day;
    const changed = await alerts.saveRule({ params, body: { until, reason: 'until Friday' } });
    expect(changed).toMatchObject({
      rule: { until },
      alerts: [{ id, state: 'expected', note: 'until Friday', until }],
    });
    const ended = await alerts.endRule({ params });
    expect(ended.alerts).toEqual([expect.objectContaining({ id, state: 'open', note: null })]);
    const { history } = await readAlert(lab, id);
    const shown = history.map(({ action, note, until: end, by, canUndo }) => [action, note, end, by !== null, canUndo]);
    expect(shown).toEqual([
      ['end_rule', null, null, true, true],
      ['change_rule', 'until Friday', until, true, false],
      ['expect', 'its maker', null, true, false],
    ]);
    await alerts.undoMany({ body: { events: ended.events } });
    const back = await alerts.undoMany({ body: { events: changed.events } });
    expect(back).toMatchObject({ left: [], lapsed: [], alerts: [{ state: 'expected', note: 'its maker' }] });
    expect((await alerts.rules({})).rules).toEqual([rule]);
  },
);

test('a mute and a rule end later than now; pages learn that a rule was changed or ended', async () => {
  await using lab = await startDetectionLab();
  const { id } = await raiseAlert(lab);
  const now = lab.clock.now();
  for (const until of [1, now]) {
    const refused = await post(lab, `/api/alerts/${id}/mute`, { until });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('until must lie ahead') });
  }
  const { alerts } = lab.as.admin;
  await alerts.mute({ params: { id: String(id) }, body: { until: now + 1 + minute } });
  const [rule] = (await alerts.rules({})).rules;
  const params = { id: String(rule?.id) };
  await expect(alerts.saveRule({ params, body: { until: now } })).rejects.toThrow('until must lie ahead');
  expect((await alerts.rules({})).rules).toEqual([rule]);
  using events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  await alerts.saveRule({ params, body: { until: null } });
  expect((await events.next('alerts')).data).toMatchObject({ ids: [], open: 0 });
  await alerts.endRule({ params });
  expect((await events.next('alerts')).data).toMatchObject({ ids: [], open: 1 });
});

verifies('rest.alerts.restore', 'after a restore, states, history and rules are those of the backup', async () => {
  await using lab = await startDetectionLab();
  const { id } = await raiseAlert(lab);
  const params = { id: String(id) };
  await lab.as.admin.alerts.expect({ params, body: { scope: 'network', note: 'known' } });
  const { name } = await lab.as.admin.backup.create({ body: {} });
  const before = await readAlert(lab, id);
  const { rules } = await lab.as.admin.alerts.rules({});
  await lab.as.admin.alerts.reopen({ params, body: {} });
  await lab.as.admin.alerts.resolve({ params, body: { note: 'gone' } });
  await lab.as.admin.backup.restore({ body: { name } });
  expect(await readAlert(lab, id)).toEqual({ ...before, serverTime: lab.clock.now() });
  expect((await lab.as.admin.alerts.rules({})).rules).toEqual(rules);
});
