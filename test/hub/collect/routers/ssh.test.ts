// Drivers over real SSH against the router simulators: what is read is what the router knows, and nothing else is typed.
import { describe, expect, test } from 'vitest';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { getDriver } from '#hub/collect/routers/drivers.ts';
import { toPublicNotes } from '#hub/collect/routers/notes.ts';
import { profiles } from '#simulators/router/profiles.ts';
import { startRouter } from '#simulators/router/start.ts';
import { collect, failureOf, keyOf, kinds, optionsOf, shellOf, truthOf } from './polls.ts';

/** Dialects that offer old SSH algorithms alone; the others are all read below. */
const oldFirmware: readonly [RouterKind, string][] = [
  ['vendor_a', 'rtx810-old'],
  ['vendor_b', 'ios12-legacy'],
];
const others = profiles.filter(({ name }) => !oldFirmware.some(([, old]) => old === name));

describe.each(others.map(({ kind, name }) => [kind, name] as const))('%s %s', (kind, profile) => {
  test('its sessions and neighbours are read, and nothing but reading is typed', async () => {
    await using router = await startRouter(kind, { dialect: profile, sessions: 150 });
    const snapshot = await collect(router);
    expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
    expect(snapshot.sessions.length).toBeGreaterThanOrEqual(150);
    expect(snapshot).toMatchObject({ complete: true, unparsed: { count: 0 }, model: router.settings.model });
    expect(snapshot.neighbours?.length).toBeGreaterThan(12);
    expect(snapshot.hostName).toBe(router.settings.hostName.trim());
    expect(router.violations).toEqual([]);
    expect(JSON.stringify(router.commands)).not.toContain('console character ja');
  });

  test('detection says what it is and where its table is', async () => {
    await using router = await startRouter(kind, { dialect: profile, sessions: 20 });
    await using shell = await shellOf(router);
    const detected = await getDriver(kind).detect(shell, optionsOf(router, { nat: '' }));
    expect(detected).toMatchObject({
      hostFp: router.hostKey,
      model: router.settings.model,
      lanIp: router.settings.lanAddress,
      sessionsOk: true,
      isExpectedOs: true,
      privilegeError: null,
      descriptor: kind === 'vendor_a' ? String(router.settings.natDescriptor) : null,
    });
    expect(detected.sessions).toBe(truthOf(router).length);
    expect(detected.version).not.toBe('');
    expect(router.violations).toEqual([]);
  });
});

describe('old firmware', () => {
  test.each(oldFirmware)(
    '%s %s is refused by name, and works when old algorithms are allowed',
    async (kind, profile) => {
      await using router = await startRouter(kind, { dialect: profile, sessions: 30 });
      const refused = await failureOf(shellOf(router));
      expect(refused.failure).toBe('no_common_algorithm');
      expect(refused.message).toContain('diffie-hellman-group1-sha1');
      expect(refused.message).toContain('Allow old SSH algorithms');
      // Deaf for a moment after its banner: this one needs the time that a hub gives.
      const snapshot = await collect(router, { legacyAlgorithms: true, settleMs: undefined });
      expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
      expect(snapshot.complete).toBe(true);
      expect(router.violations).toEqual([]);
    },
  );

  test('a firmware without the verbose table is read plainly, and that is remembered', async () => {
    await using router = await startRouter('vendor_b', { dialect: 'ios12-legacy', sessions: 5 });
    await using shell = await shellOf(router, { legacyAlgorithms: true });
    const options = optionsOf(router);
    const first = await getDriver('vendor_b').collect(shell, options);
    expect(toPublicNotes(first.notes).notes.join(' ')).toContain('without times');
    router.clearJournal();
    await getDriver('vendor_b').collect(shell, options);
    expect(router.commands.filter((command) => command.includes('verbose'))).toEqual([]);
    expect(router.commands.filter((command) => command.startsWith('terminal'))).toEqual([]);
  });
});

describe('one connection', () => {
  test.each(kinds)('%s: serves many polls, and leaves with a clean exit', async (kind) => {
    await using router = await startRouter(kind, { sessions: 10, traffic: false });
    const shell = await shellOf(router);
    const options = optionsOf(router);
    for (let poll = 0; poll < 3; poll += 1) {
      const snapshot = await getDriver(kind).collect(shell, options);
      expect(snapshot.sessions.map(keyOf).sort()).toEqual(truthOf(router));
    }
    await shell[Symbol.asyncDispose]();
    expect(router.connections).toBe(1);
    expect(router.commands).toContain('exit');
    expect(router.violations).toEqual([]);
  });

  test('the question whether to save is answered with no', async () => {
    await using router = await startRouter('vendor_a', { sessions: 1 });
    router.fail('save-question');
    const shell = await shellOf(router);
    await shell[Symbol.asyncDispose]();
    expect(router.violations).toEqual([]);
    expect(router.settings.changed).toBe(true);
  });

  test('an aborted poll ends at once with its reason', async () => {
    await using router = await startRouter('vendor_b', { sessions: 200 });
    router.fail('stall', { afterBytes: 100, command: 'show ip nat tr' });
    await using shell = await shellOf(router);
    const stop = new AbortController();
    const running = getDriver('vendor_b').collect(shell, { ...optionsOf(router), signal: stop.signal });
    const reason = new Error('stopped by the test');
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
  });
});
