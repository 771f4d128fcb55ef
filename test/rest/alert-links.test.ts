// The links of messages: what they show, what they do once, and what is refused.
import fc from 'fast-check';
import { expect } from 'vitest';
import { type DetectionLab, startDetectionLab } from '../support/detection-lab.ts';
import { verifies } from '../support/verifies.ts';

const listed = '203.0.113.80';
const day = 86_400_000;
const publicUrl = new URL('https://gatehouse.example.net/in');

/** Tells of an alert about `dst`; returns its id and the token of the link in the message. */
async function tellAlert(lab: DetectionLab, dst: string): Promise<{ id: number; token: string }> {
  const before = lab.told().length;
  lab.contact(dst);
  await lab.poll();
  await lab.list(dst);
  await lab.poll();
  await expect
    .poll(async () => {
      await lab.skip(2000);
      return lab.told().length;
    })
    .toBe(before + 1);
  const [, token = ''] =
    /<https:\/\/gatehouse\.example\.net\/in\/act#([^|]+)\|Act on it without a login>/.exec(lab.told()[before] ?? '') ??
    [];
  return { id: Number(token.split('.')[0]), token };
}

async function send(lab: DetectionLab, what: 'look' | 'act', body: object) {
  const { status, text } = await lab.as.raw({
    method: 'POST',
    path: `/api/alert-links/${what}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { code = null, alert = null } = JSON.parse(text) as { code?: string; alert?: { state: string } };
  return { status, code, state: alert?.state ?? null };
}

const readHistory = async (lab: DetectionLab, id: number) =>
  (await lab.as.admin.alerts.detail({ params: { id: String(id) } })).history.map(({ action, by }) => ({ action, by }));

verifies(
  'rest.alerts.links',
  'the link of a message changes nothing when it is opened, and acts once when a button is pressed',
  async () => {
    await using lab = await startDetectionLab({ hub: { publicUrl } });
    const { id, token } = await tellAlert(lab, listed);
    for (let looks = 0; looks < 3; looks++) {
      expect(await send(lab, 'look', { token })).toEqual({ status: 200, code: null, state: 'open' });
    }
    expect(await readHistory(lab, id)).toEqual([]);
    expect(await send(lab, 'act', { token, action: 'resolve' })).toMatchObject({ status: 400, code: 'invalid_body' });
    await lab.restart();
    const both = await Promise.all([
      send(lab, 'act', { token, action: 'acknowledge' }),
      send(lab, 'act', { token, action: 'acknowledge' }),
    ]);
    expect(both.map(({ code }) => code).sort()).toEqual(['link_used', null].sort());
    const nonce = token.split('.')[2];
    expect(await readHistory(lab, id)).toEqual([{ action: 'acknowledge', by: `link ${nonce}` }]);
    await lab.as.admin.alerts.reopen({ params: { id: String(id) }, body: {} });
    expect(await send(lab, 'look', { token })).toEqual({ status: 409, code: 'link_used', state: null });

    const muted = await tellAlert(lab, '203.0.113.81');
    expect(await send(lab, 'act', { token: muted.token, action: 'mute_day' })).toMatchObject({ state: 'muted' });
    const expected = await tellAlert(lab, '203.0.113.82');
    expect(await send(lab, 'act', { token: expected.token, action: 'expect' })).toMatchObject({ state: 'expected' });
    const unused = await tellAlert(lab, '203.0.113.83');
    await lab.skip(day + 1);
    const { alert } = await lab.as.admin.alerts.detail({ params: { id: String(muted.id) } });
    expect(alert.state).toBe('open');
    expect(await send(lab, 'look', { token: unused.token })).toMatchObject({ status: 200 });
    await lab.skip(6 * day);
    expect(await send(lab, 'act', { token: unused.token, action: 'expect' })).toMatchObject({ code: 'link_expired' });
  },
);

verifies('rest.alerts.link-forged', 'a link that this hub did not sign is refused and changes nothing', async () => {
  await using lab = await startDetectionLab({ hub: { publicUrl } });
  const { id, token } = await tellAlert(lab, listed);
  const changed = fc
    .tuple(fc.nat(token.length - 1), fc.constantFrom(...'0123456789abcdef.', ''))
    .map(([at, char]) => token.slice(0, at) + char + token.slice(at + 1))
    .filter((other) => other !== token);
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed, fc.string({ maxLength: 200 })), async (other) => {
      const answer = await send(lab, 'act', { token: other, action: 'acknowledge' });
      expect(answer).toEqual({ status: 404, code: 'link_invalid', state: null });
    }),
    { numRuns: 40 },
  );
  expect(await readHistory(lab, id)).toEqual([]);
  await using stranger = await startDetectionLab({ hub: { publicUrl } });
  await tellAlert(stranger, listed);
  expect(await send(stranger, 'look', { token })).toMatchObject({ code: 'link_invalid' });
});
