// The manual look-up: keys, cache, waiting times, refusals, and services that misbehave.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProviderName } from '#contract/threat.ts';
import type { FeedFault } from '#simulators/feeds/faults.ts';
import { postJson } from '../support/ai-lab.ts';
import { eventually } from '../support/eventually.ts';
import { minute, startThreatLab, type ThreatLab, type ThreatLabOptions } from '../support/threat-lab.ts';
import { verifies } from '../support/verifies.ts';

const all = ['rep_a', 'rep_b', 'rep_c'] as const satisfies readonly ProviderName[];
const services = ['abuseipdb', 'virustotal', 'otx'];

function readKeys({ feeds }: ThreatLab) {
  return { rep_a: feeds.keys.abuseipdb, rep_b: feeds.keys.virustotal, rep_c: feeds.keys.otx };
}

/** All three keys are set. */
async function startKeyed(options: ThreatLabOptions = {}): Promise<ThreatLab> {
  const lab = await startThreatLab({ key: false, ...options });
  await lab.as.admin.threat.saveManualThreat({ body: { keys: readKeys(lab) } });
  return lab;
}

function lookUp(lab: ThreatLab, ip: string, providers: readonly ProviderName[] = all) {
  return lab.as.admin.threat.lookUp({ body: { ip, providers: [...providers] } });
}

const askedServices = (lab: ThreatLab) => services.flatMap((name) => lab.asked(name));

verifies(
  'rest.settings.manual-threat-flags rest.settings.manual-threat-write',
  'keys are saved and never shown, kept when empty, cleared when asked; cache and intervals are saved',
  async () => {
    await using lab = await startThreatLab({ key: false });
    const { threat } = lab.as.admin;
    const unset = { rep_a: { keySet: false }, rep_b: { keySet: false }, rep_c: { keySet: false } };
    expect(await threat.manualThreat({})).toEqual({ providers: unset, cacheTtlMinutes: 60, minIntervalSeconds: 15 });
    const saved = await threat.saveManualThreat({
      body: { keys: { rep_a: 'key-a', rep_c: 'key-c' }, cacheTtlMinutes: 5 },
    });
    const set = { rep_a: { keySet: true }, rep_b: { keySet: false }, rep_c: { keySet: true } };
    expect(saved).toEqual({ success: true, providers: set, cacheTtlMinutes: 5, minIntervalSeconds: 15 });
    await threat.saveManualThreat({ body: { keys: { rep_a: '' }, clearKeys: ['rep_c'], minIntervalSeconds: 3600 } });
    await lab.restart();
    expect(await lab.as.admin.threat.manualThreat({})).toEqual({
      providers: { ...unset, rep_a: { keySet: true } },
      cacheTtlMinutes: 5,
      minIntervalSeconds: 3600,
    });
    expect(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8')).not.toMatch(/key-[ac]/);
    for (const body of [
      { cacheTtlMinutes: 4 },
      { cacheTtlMinutes: 1441 },
      { minIntervalSeconds: 0 },
      { minIntervalSeconds: 3601 },
      { keys: { rep_a: 'x'.repeat(4097) } },
      { keys: { rep_a: 'a\nb' } },
      { keys: { rep_x: 'a' } },
      { clearKeys: ['rep_a', 'rep_b', 'rep_c', 'rep_a'] },
    ]) {
      const refused = await postJson(lab, '/api/config/manual-threat', body);
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    }
    expect(await lab.as.admin.threat.manualThreat({})).toMatchObject({ cacheTtlMinutes: 5 });
  },
);

verifies(
  'rest.threat.manual-lookup rest.threat.manual-lookup-explicit',
  'one address goes to the chosen services when asked, and to nobody before',
  async () => {
    await using lab = await startKeyed();
    await lab.later(60 * minute);
    expect(askedServices(lab)).toEqual([]);
    const { ip, results, checkedAt } = await lookUp(lab, '9.9.9.9', ['rep_a', 'rep_b']);
    expect([ip, checkedAt, Object.keys(results)]).toEqual(['9.9.9.9', lab.clock.now(), ['rep_a', 'rep_b']]);
    expect(lab.asked('otx')).toEqual([]);
    expect(results.rep_a).toMatchObject({
      ok: true,
      cached: false,
      summary: { countryCode: 'NL', isp: 'Example Hosting', domain: 'hosting.example' },
    });
    expect(results.rep_b).toMatchObject({
      ok: true,
      summary: { harmless: 60, country: 'NL', owner: 'Example Hosting' },
    });
    await lab.later(minute);
    const { results: six } = await lookUp(lab, '2620:FE::9', ['rep_c']);
    expect(six.rep_c).toMatchObject({ ok: true, summary: { asn: 'AS64496 Example Hosting' } });
    expect(lab.asked('otx').at(-1)?.path).toBe('/otx/api/v1/indicators/IPv6/2620:fe::9/general');
    const pulses = six.rep_c?.ok ? six.rep_c.summary.pulses : [];
    expect(pulses).toHaveLength(5);
    expect(pulses.at(-1)?.name).toHaveLength(Math.min(200, `Campaign 5 ${'x'.repeat(160)}`.length));
    expect(Math.max(...pulses.map(({ created }) => created ?? 0))).toBeLessThan(lab.clock.now());
  },
);

test('an answer is given again while it is fresh; a service is asked once in its interval', async () => {
  await using lab = await startKeyed();
  await lookUp(lab, '9.9.9.9', ['rep_a']);
  const again = await lookUp(lab, '9.9.9.9', ['rep_a']);
  expect(again.results.rep_a).toMatchObject({ ok: true, cached: true, checkedAt: lab.clock.now() });
  const other = await lookUp(lab, '1.1.1.1', ['rep_a', 'rep_b']);
  expect(other.results.rep_a).toMatchObject({ ok: false, code: 'cooldown', retryAfterMs: 15_000 });
  expect(other.results.rep_b).toMatchObject({ ok: true });
  expect(lab.asked('abuseipdb')).toHaveLength(1);
  await lab.skip(15_000);
  expect((await lookUp(lab, '1.1.1.1', ['rep_a'])).results.rep_a).toMatchObject({ ok: true });
  await lab.skip(60 * minute);
  expect((await lookUp(lab, '9.9.9.9', ['rep_a'])).results.rep_a).toMatchObject({ ok: true, cached: false });
  await lab.as.admin.threat.saveManualThreat({ body: {} });
  expect((await lookUp(lab, '9.9.9.9', ['rep_a'])).results.rep_a).toMatchObject({ ok: true, cached: false });
});

test('what is not a public address is refused, whatever it looks like', async () => {
  await using lab = await startKeyed();
  const special =
    '192.168.1.1 10.0.0.1 172.16.0.1 100.64.0.1 127.0.0.1 169.254.1.1 192.0.2.1 198.51.100.1 203.0.113.1 ' +
    '198.18.0.1 224.0.0.1 255.255.255.255 0.0.0.0 ::1 ::2 ::ffff:9.9.9.9 fe80::1 fd00::1 ff02::1 ' +
    '2001:db8::1 2620:fe::fe%eth0 009.9.9.9 9.9.9 dns9.example';
  for (const ip of special.split(' ')) {
    await expect(lookUp(lab, ip), ip).rejects.toMatchObject({ status: 400, code: 'address_not_public' });
  }
  for (const body of [{ ip: '9.9.9.9', providers: [] }, { ip: '9.9.9.9', providers: ['rep_x'] }, { providers: all }]) {
    await expect(lab.as.admin.threat.lookUp({ body: body as never })).rejects.toMatchObject({ status: 400 });
  }
  expect(askedServices(lab)).toEqual([]);
});

test('offline nobody is asked', async () => {
  await using lab = await startKeyed({ hub: { offline: true } });
  await expect(lookUp(lab, '9.9.9.9')).rejects.toMatchObject({ status: 403, code: 'offline_mode' });
  expect(askedServices(lab)).toEqual([]);
});

test('a service without a key, and one that refuses its key, say so; the others answer', async () => {
  await using lab = await startKeyed();
  await lab.as.admin.threat.saveManualThreat({
    body: { clearKeys: ['rep_a'], keys: { rep_b: 'wrong', rep_c: 'wrong' } },
  });
  const { results } = await lookUp(lab, '9.9.9.9');
  expect(results).toMatchObject({
    rep_a: { ok: false, code: 'key_missing' },
    rep_b: { ok: false, code: 'key_rejected', status: 401 },
    rep_c: { ok: false, code: 'key_rejected', status: 403 },
  });
  expect(lab.asked('abuseipdb')).toEqual([]);
});

test('what was asked with a key of before counts no more when another one is saved', async () => {
  await using lab = await startKeyed();
  lab.feeds.fail('slow', { times: 1, value: 900 });
  lab.feeds.fail('too-many', { times: 1 });
  const before = lookUp(lab, '9.9.9.9', ['rep_a']);
  await eventually(
    async () => lab.feeds.journal(),
    (entries) => entries.some(({ fault }) => fault === 'slow') || undefined,
  );
  await lab.as.admin.threat.saveManualThreat({ body: { keys: readKeys(lab) } });
  expect((await before).results).toMatchObject({ rep_a: { ok: false, code: 'upstream_limit' } });
  expect((await lookUp(lab, '9.9.9.9', ['rep_a'])).results).toMatchObject({ rep_a: { ok: true, cached: false } });
});

const failures: readonly [FeedFault, object][] = [
  ['error-500', { code: 'upstream_failed', status: 500 }],
  ['too-many', { code: 'upstream_limit', status: 429, retryAfterMs: 30_000 }],
  ['redirect', { code: 'upstream_failed', status: 302 }],
  ['html', { code: 'upstream_failed' }],
  ['not-json', { code: 'upstream_failed' }],
  ['huge', { code: 'upstream_failed', error: expect.stringContaining('more than 2 MB') }],
];

describe('a service that fails', () => {
  for (const [fault, result] of failures) {
    test(`${fault} is told, keeps nothing and names no key`, async () => {
      await using lab = await startKeyed();
      lab.feeds.fail(fault, { command: '/virustotal' });
      const { results } = await lookUp(lab, '9.9.9.9', ['rep_a', 'rep_b']);
      expect(results).toMatchObject({ rep_a: { ok: true }, rep_b: { ok: false, ...result } });
      expect(JSON.stringify(results)).not.toContain(lab.feeds.keys.virustotal);
      lab.feeds.clearFaults();
      await lab.skip(31_000);
      expect((await lookUp(lab, '9.9.9.9', ['rep_b'])).results.rep_b).toMatchObject({ ok: true, cached: false });
    });
  }

  test('a limit of the service holds longer than the interval', async () => {
    await using lab = await startKeyed();
    lab.feeds.fail('too-many', { command: '/otx', times: 1, value: 120 });
    await lookUp(lab, '9.9.9.9', ['rep_c']);
    await lab.skip(20_000);
    const { results } = await lookUp(lab, '9.9.9.9', ['rep_c']);
    expect(results.rep_c).toMatchObject({ ok: false, code: 'cooldown', retryAfterMs: 100_000 });
  });

  test('silence ends after ten seconds', async () => {
    await using lab = await startKeyed();
    lab.feeds.fail('hang', { command: '/abuseipdb' });
    const asked = lookUp(lab, '9.9.9.9', ['rep_a']);
    await expect.poll(() => lab.asked('abuseipdb').length).toBe(1);
    await lab.clock.advance(10_000);
    expect((await asked).results.rep_a).toMatchObject({
      ok: false,
      code: 'upstream_failed',
      error: 'AbuseIPDB did not answer within 10 s: try again later',
    });
    // Of the 15 seconds between two questions ten are over.
    expect((await lookUp(lab, '9.9.9.9', ['rep_a'])).results.rep_a).toMatchObject({
      code: 'cooldown',
      retryAfterMs: 5000,
    });
  });
});
