// What-if over a whole hub: a preview of other beacon settings is what a second hub with those settings told, and a
// preview leaves no trace.
import { expect, test } from 'vitest';
import { createRandom, hash } from '#simulators/support/random.ts';
import { type DetectionLab, device, startDetectionLab } from '../support/detection-lab.ts';
import { eventually } from '../support/eventually.ts';
import { takeState } from '../support/lab-state.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const hour = 60 * minute;
const pollMs = 20 * minute;
const scanIntervalMs = 80 * minute;
const lives = { router: 'vendor_b', hub: { pollIntervalMs: pollMs } } as const;

/** Which destinations are contacted at each poll: every 40, every 60 or 80 minutes, and by chance. The same each time. */
async function live(lab: DetectionLab, polls: number, seed = 1): Promise<void> {
  const random = createRandom(hash('what-if', seed));
  for (let turn = 0; turn < polls; turn += 1) {
    const contacted = [
      turn % 2 === 0 ? '203.0.113.80' : null,
      turn % 3 === 0 ? '203.0.113.81' : null,
      turn % 4 === 0 && turn > 6 ? '203.0.113.82' : null,
      random.next() < 0.4 ? '203.0.113.83' : null,
    ];
    for (const dst of contacted.filter((one) => one !== null)) {
      lab.routers.home.flow({ src: device, dst, dport: 443, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' });
    }
    await lab.advance(pollMs);
  }
}

/** Scans run seven minutes after a poll, so that which comes first is no question. */
async function beginScans(lab: DetectionLab, body: object): Promise<void> {
  await lab.advance(7 * minute);
  await lab.as.admin.beacons.saveConfig({ body: { ...body, scanIntervalMs } });
  await lab.settled();
}

const polls = 60;
const settings = [
  { minObs: 6 },
  { minObs: 12, maxCov: 0.8, minIntervalMs: 50 * minute, maxIntervalMs: 70 * minute },
] as const;

verifies(
  'rest.beacons.preview',
  'a preview answers with what a second hub with those settings told of the same connections',
  async () => {
    await using lab = await startDetectionLab(lives);
    await beginScans(lab, { enabled: false });
    await live(lab, polls);
    let told = 0;
    for (const body of settings) {
      await using other = await startDetectionLab(lives);
      await beginScans(other, body);
      await live(other, polls);
      const { logs } = await other.as.admin.detection.log({ query: { type: 'beacon' } });
      const preview = await lab.as.admin.beacons.preview({ body: { ...body, enabled: true } });
      expect(preview).toMatchObject({ given: logs.length, saved: 0, both: 0, truncated: false });
      const offset = lab.clock.now() - other.clock.now();
      const rows = preview.beacons.map(({ dst, givenAt, intervalMs, obsCount }) => {
        return { dst, intervalMs, obsCount, detectedAt: (givenAt ?? 0) - offset };
      });
      const expected = logs.map(({ dst, intervalMs, obsCount, detectedAt }) => ({
        dst,
        intervalMs,
        obsCount,
        detectedAt,
      }));
      const sort = <R extends { dst: string | null }>(all: R[]) =>
        all.toSorted((a, b) => String(a.dst).localeCompare(String(b.dst)));
      expect(sort(rows)).toEqual(sort(expected));
      told += logs.length;
    }
    expect(told).toBeGreaterThan(2);
  },
);

test('a preview changes no table, no file and no setting, and says nothing to the workspace', async () => {
  await using lab = await startDetectionLab(lives);
  const { beacons, detection } = lab.as.admin;
  await beacons.saveConfig({ body: { minObs: 100, scanIntervalMs: 24 * hour } });
  await live(lab, 30);
  await lab.settled();
  const before = await takeState(lab);
  expect(await beacons.preview({ body: { minObs: 6 } })).toMatchObject({
    saved: 0,
    both: 0,
    given: expect.any(Number),
  });
  expect((await beacons.preview({ body: { minObs: 6 } })).given).toBeGreaterThan(0);
  await lab.settled();
  expect(await takeState(lab)).toEqual(before);
  expect((await beacons.list({ query: { includeDismissed: '1', includeBenign: '1' } })).beacons).toEqual([]);
  expect((await detection.log({})).logs).toEqual([]);
  expect((await beacons.config({})).config.minObs).toBe(100);
  // What no settings may be is refused as when it is saved.
  for (const body of [{ minObs: 1 }, { maxCov: 0 }, { minIntervalMs: 5 * hour }, { unknown: 1 }]) {
    const saving = await beacons.saveConfig({ body: body as never }).catch((error: Error) => error.message);
    await expect(beacons.preview({ body: body as never })).rejects.toMatchObject({
      code: 'invalid_body',
      message: saving,
    });
  }
});

test('one preview runs and one waits: a third is refused, and one whose client has left frees its place', async () => {
  await using lab = await startDetectionLab(lives);
  await live(lab, 12);
  const ask = (signal?: AbortSignal) =>
    fetch(new URL('/api/beacons/preview', lab.url), {
      method: 'POST',
      headers: { 'x-admin-token': lab.adminToken, 'content-type': 'application/json' },
      body: '{}',
      ...(signal && { signal }),
    });
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
  for (const answer of answers) {
    const body = (await answer.json()) as { code?: string };
    if (answer.status === 429) {
      expect([answer.headers.get('retry-after'), body.code]).toEqual(['1', 'rate_limited']);
    }
  }
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await eventually(
    async () => (await ask()).status,
    (status) => (status === 200 ? status : undefined),
  );
});
