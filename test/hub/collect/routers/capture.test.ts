// Captures of all simulated dialects: what is played reads as the original did, and nothing of the original is in the bundle.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isIdentifying } from '#capture/anonymise.ts';
import { readBundle } from '#capture/read-bundle.ts';
import { readPlayed } from '#hub/collect/routers/capture/played.ts';
import { toBundle } from '#hub/collect/routers/capture/to-bundle.ts';
import { getDriver } from '#hub/collect/routers/drivers.ts';
import type { RouterFault } from '#simulators/router/faults.ts';
import { latencies } from '#simulators/router/latency.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import { profiles } from '#simulators/router/profiles.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { captureRouter, frozenNow, toComparable, type WrittenCapture } from './captures-of.ts';
import { failureOf, nat, optionsOf, shellOf } from './polls.ts';

const sessions = 120;

/** A simulator that plays the capture, without its waits. */
const play = ({ folder }: WrittenCapture, { kind, settings }: RouterSimulator) =>
  startRouter(kind, { capture: folder, dialect: settings.profile, latency: latencies.none });

/** Reads the router with the driver, as a hub does. */
async function readAgain(router: RouterSimulator) {
  const isDeaf = router.settings.profile === 'rtx810-old';
  await using shell = await shellOf(router, { legacyAlgorithms: true, settleMs: isDeaf ? 100 : 20 });
  return await getDriver(router.kind).collect(shell, { ...optionsOf(router), now: frozenNow });
}

const readFolder = ({ folder }: WrittenCapture) =>
  readPlayed(readBundle(folder), new AbortController().signal, frozenNow);

function textOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('\n');
}

function expectAnonymous({ folder, replacements }: WrittenCapture, router: RouterSimulator): void {
  const text = textOf(folder);
  const { hostName, wanAddress, lanAddress } = router.settings;
  const { user, password, enable } = router.credentials;
  const truth = router.truth().flatMap(({ src, dst }) => [src, dst]);
  // The octets before a cut are no address.
  const replaced = replacements.filter(({ kind, from }) => isIdentifying(kind, from)).map(({ from }) => from);
  const originals = [...new Set([...truth, wanAddress, lanAddress, ...replaced])];
  for (const original of [...originals, hostName, user, password, enable ?? ''].filter((one) => /\w/.test(one))) {
    const isThere = new RegExp(`(?<![\\w.:])${RegExp.escape(original)}(?![\\w:])`, 'i').test(text);
    expect(isThere && original !== '0.0.0.0', original).toBe(false);
  }
}

const counts = (values: readonly string[]) =>
  [...Map.groupBy(values, (value) => value).values()].map(({ length }) => length).sort();

describe.each(profiles.map(({ kind, name }) => [kind, name] as const))('%s %s', (kind: RouterKind, profile) => {
  test('a capture of it reads as the original, and is anonymous', async () => {
    using folder = temporaryFolder();
    await using router = await startRouter(kind, { dialect: profile, sessions });
    const capture = await captureRouter(router, folder.path);
    const { recording, replacements } = capture;
    expect(recording).toMatchObject({ failure: null, missing: [] });
    expect(router.violations).toEqual([]);
    expectAnonymous(capture, router);
    await using played = await play(capture, router);
    const snapshot = await readAgain(played);
    expect(recording.snapshot?.sessions.length).toBeGreaterThanOrEqual(sessions);
    expect(toComparable(snapshot)).toEqual(recording.snapshot && toComparable(recording.snapshot, replacements));
    const { snapshot: checked } = await readFolder(capture);
    expect(checked && toComparable(checked)).toEqual(toComparable(snapshot));
    const before = recording.snapshot?.sessions ?? [];
    for (const field of ['src', 'dst'] as const) {
      expect(counts(snapshot.sessions.map((row) => row[field]))).toEqual(counts(before.map((row) => row[field])));
      const prefix = (row: (typeof before)[number]) => row[field].split('.').slice(0, 3).join('.');
      expect(counts(snapshot.sessions.map(prefix))).toEqual(counts(before.map(prefix)));
    }
    expect(snapshot.sessions.map(({ dport }) => dport)).toEqual(before.map(({ dport }) => dport));
    expect(played.violations).toEqual([]);
  });
});

const faults: readonly [RouterKind, RouterFault, FaultOptions][] = [
  ['vendor_a', 'truncated', { afterBytes: 2500 }],
  ['vendor_b', 'truncated', { afterBytes: 2500, value: 'close' }],
  ['vendor_a', 'drop', {}],
  ['vendor_b', 'pager', {}],
  ['vendor_a', 'log-lines', {}],
  ['vendor_b', 'log-lines', {}],
  ['vendor_a', 'garbage', {}],
  ['vendor_b', 'unknown-command', { value: 1 }],
];

describe('a router that misbehaves', () => {
  test.each(faults)(
    '%s %s: the capture reads with the same sessions, notes and failure',
    async (kind, fault, options) => {
      using folder = temporaryFolder();
      await using router = await startRouter(kind, { sessions: 60 });
      // vendor_a lists its descriptors with the same words before.
      const command = kind === 'vendor_a' ? `${nat(kind)} ${router.settings.natDescriptor}` : nat(kind);
      router.fail(fault, { command, ...options });
      const capture = await captureRouter(router, folder.path);
      const { recording, replacements } = capture;
      expectAnonymous(capture, router);
      await using played = await play(capture, router);
      const checked = await readFolder(capture);
      if (recording.failure === null) {
        expect(checked.snapshot && toComparable(checked.snapshot)).toEqual(
          recording.snapshot && toComparable(recording.snapshot, replacements),
        );
        expect(toComparable(await readAgain(played))).toEqual(
          recording.snapshot && toComparable(recording.snapshot, replacements),
        );
        return;
      }
      expect(recording.missing).toContain(kind === 'vendor_a' ? 'show status dhcp' : 'show ip dhcp binding');
      const failure = await failureOf(readAgain(played));
      expect([failure.failure, checked.failure?.failure]).toEqual([
        recording.failure.failure,
        recording.failure.failure,
      ]);
      expect(checked.failure?.sessions.length).toBe(failure.sessions.length);
      expect(toComparable({ sessions: failure.sessions })).toEqual(
        toComparable({ sessions: recording.failure.sessions }, replacements),
      );
    },
  );
});

test('of a greeting only the lines stay in which vendor_a says what it is', async () => {
  using folder = temporaryFolder();
  await using router = await startRouter('vendor_a', { sessions: 1 });
  const { recording } = await captureRouter(router, folder.path);
  const facts = recording.greeting.answer.toString('latin1').replaceAll(/[\da-f]{2}(?::[\da-f]{2}){5}/g, 'MAC');
  const notice = ['Rev. 2 of the rules of Acme Inc', 'Copyright Acme Inc', 'Memory 1 Acme', '00:a0:de:00:00:01 Acme'];
  const answer = Buffer.from(`${notice.join('\r\n')}\r\n${recording.greeting.answer.toString('latin1')}`, 'latin1');
  const written = (kind: RouterKind) => {
    const { bundle } = toBundle({ ...recording, kind, greeting: { ...recording.greeting, answer } }, 'monitor', []);
    return Buffer.from(bundle.files.get('00-greeting.txt') ?? []).toString('latin1');
  };
  expect(written('vendor_a')).not.toContain('Acme');
  expect(written('vendor_a').replaceAll(/[\da-f]{2}(?::[\da-f]{2}){5}/g, 'MAC')).toContain(facts);
  expect(written('vendor_b')).toMatch(/^[x0\s\W]+$/);
});
