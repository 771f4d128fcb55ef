// Evidence schema v3: the passing fixtures pass; every field of both profiles, broken once, fails its own finding.
import { describe, expect, it, test } from 'vitest';
import { holds, runChecks } from '#gate/check.ts';
import { evidenceRules } from '#gate/checks.ts';
import { type Profile, profiles } from '#gate/evidence/context.ts';
import { callbackLimitation, items } from '#gate/evidence/items.ts';
import { judgeItem } from '#gate/evidence/rules.ts';
import { evidenceTemplate } from '#gate/evidence/template.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { verifies } from '../support/verifies.ts';
import { commit, createContext, type Document, passingEvidence, testedAt } from './passing-evidence.ts';

const day = 86_400_000;

/** Ids of the rules that do not hold. */
async function failing(profile: Profile, document: Document | undefined, now?: number): Promise<string[]> {
  const findings = await runChecks(evidenceRules, createContext(profile, document, now));
  return findings.filter((finding) => !holds(finding)).map(({ id }) => id);
}

function itemOf(document: Document, name: string): Record<string, unknown> {
  return document[name] as Record<string, unknown>;
}

/** The fixture with one item's fields changed; an undefined value leaves the field out. */
function changed(profile: Profile, name: string, fields: Record<string, unknown>): Document {
  const document = passingEvidence(profile);
  const item = { ...itemOf(document, name), ...fields };
  return { ...document, [name]: Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) };
}

/** Fields that may be absent, and texts of which every one that is not empty is as good. */
const optionalFields = [
  'provenance',
  'familyRevoked',
  'replayRequestRejected',
  'clientBStatus',
  'clientBCallbackStatus',
];
const freeTexts = ['inspectorVersion', 'clientAVersion', 'clientBVersion'];
/** What an era that nobody ran fails in addition to its own item. */
const alsoEras = (ids: readonly string[]) => ids.filter((id) => id !== 'evidence.protocolEras');

describe.each(profiles)('profile %s', (profile) => {
  const present = items.filter(({ name }) => name in passingEvidence(profile));

  it('the passing fixture passes', async () => {
    expect(await failing(profile, passingEvidence(profile))).toEqual([]);
  });

  verifies.each(
    'gate.evidence.successful',
    present.map((item) => ({ ...item, what: item.name })),
    async ({ name }) => {
      for (const passed of [false, undefined, 'true', 1]) {
        expect(alsoEras(await failing(profile, changed(profile, name, { passed })))).toEqual([`evidence.${name}`]);
      }
    },
  );

  it.each(present)('$name: missing, no object, every field broken once', async ({ name, isOurs = false }) => {
    const own = `evidence.${name}`;
    const { [name]: _dropped, ...without } = passingEvidence(profile);
    const declared = alsoEras(await failing(profile, without));
    expect(declared.includes(own), 'missing, where nothing need say how it came about').toBe(!isOurs);
    for (const value of [null, true, 'passed', 3, []]) {
      expect(alsoEras(await failing(profile, { ...passingEvidence(profile), [name]: value }))).toContain(own);
    }
    for (const [field, value] of Object.entries(itemOf(passingEvidence(profile), name))) {
      for (const broken of brokenValues(field, value)) {
        const found = await failing(profile, changed(profile, name, { [field]: broken }));
        expect(found, `${name}.${field} = ${JSON.stringify(broken)}`).toContain(own);
        expect(others(found, own, name), `${name}.${field} = ${JSON.stringify(broken)}`).toEqual([]);
      }
    }
    expect(await failing(profile, changed(profile, name, { typo: true }))).toEqual([own]);
  });

  verifies('gate.evidence.commit gate.evidence.30-days', 'another commit, too old, too far ahead', async () => {
    for (const { name } of present) {
      const own = [`evidence.${name}`];
      expect(await failing(profile, changed(profile, name, { commit: commit.replace('0', 'f') }))).toEqual(own);
      expect(await failing(profile, changed(profile, name, { commit: commit.slice(0, 39) }))).toEqual(own);
      for (const [ageMs, expected] of [
        [30 * day, []],
        [30 * day + 1000, own],
        [-300_000, []],
        [-301_000, own],
      ] as const) {
        const document = changed(profile, name, { testedAt: isoTime(testedAt - ageMs) });
        expect(await failing(profile, document)).toEqual(expected);
      }
    }
  });

  verifies('gate.evidence.schema-v3 gate.evidence.older-template', 'refuses other documents', async () => {
    const own = ['evidence.document'];
    const document = passingEvidence(profile);
    for (const wrong of [
      { schemaVersion: 2 },
      { schemaVersion: '3' },
      { publishDns: true },
      { publishDns: undefined },
    ]) {
      expect(await failing(profile, { ...document, ...wrong })).toEqual(own);
    }
    expect(await failing(profile, { ...document, deployedCommit: 'f'.repeat(40) })).toEqual(own);
    expect(await failing(profile, { ...document, healthChecks: { passed: true } })).toEqual(own);
    const older = { schemaVersion: 3, deployedCommit: commit, publishDns: false, refreshReplay: { passed: true } };
    expect((await failing(profile, older)).length).toBeGreaterThan(5);
    expect(await failing(profile, undefined)).toContain('evidence.document');
  });

  it('the template has every field, and nothing in it passes', async () => {
    const template = evidenceTemplate(profile, commit);
    const found = await failing(profile, template);
    expect(found).toEqual([...present.map(({ name }) => `evidence.${name}`), 'evidence.protocolEras'].sort(byOrder));
    for (const { name, fields } of present) {
      expect(Object.keys(itemOf(template, name))).toEqual(['passed', 'testedAt', 'commit', ...Object.keys(fields)]);
    }
  });
});

test.each([
  ['is not there', undefined, 'it is missing'],
  ['is a list', [], 'it is not an object'],
  ['is null', null, 'it is not an object'],
])('an item that %s: the finding says so', (_how, value, because) => {
  const document = { ...passingEvidence('strict'), jwksOutage: value };
  expect(judgeItem('jwksOutage', createContext('strict', document))).toEqual({ outcome: 'fail', because });
});

describe('rules between fields', () => {
  verifies('gate.evidence.reject-replay', 'reject-replay: the replay fails, the family lives', async () => {
    const refresh = (fields: Record<string, unknown>) =>
      failing('strict', changed('strict', 'refreshRevocation', fields));
    expect(await refresh({ familyRevoked: undefined })).toEqual([]);
    for (const wrong of [
      { replayRequestRejected: undefined },
      { currentFamilyUsable: false },
      { familyRevoked: true },
    ]) {
      expect(await refresh(wrong)).toEqual(['evidence.refreshRevocation']);
    }
  });

  verifies('gate.evidence.revoke-family', 'revoke-family: the family dies with the replay', async () => {
    const family = { mode: 'revoke-family', familyRevoked: true, currentFamilyUsable: false };
    const refresh = (fields: Record<string, unknown>) =>
      failing('strict', changed('strict', 'refreshRevocation', { ...family, ...fields }));
    expect(await refresh({})).toEqual([]);
    expect(await refresh({ replayRequestRejected: undefined })).toEqual([]);
    for (const wrong of [{ familyRevoked: false }, { familyRevoked: undefined }, { currentFamilyUsable: true }]) {
      expect(await refresh(wrong)).toEqual(['evidence.refreshRevocation']);
    }
  });

  verifies('gate.evidence.token-lifetime', 'access tokens of 900 seconds pass, of 901 do not', async () => {
    const lives = (accessTokenLifetimeSeconds: unknown) =>
      failing('strict', changed('strict', 'refreshRevocation', { accessTokenLifetimeSeconds }));
    expect(await lives(900)).toEqual([]);
    for (const wrong of [901, 1200, 0, -1, 600.5, '600']) {
      expect(await lives(wrong)).toEqual(['evidence.refreshRevocation']);
    }
  });

  verifies('gate.evidence.era-2025 gate.evidence.era-2026', 'both eras must have been run', async () => {
    const clients = (fields: Record<string, unknown>) =>
      failing('strict', changed('strict', 'clientCompatibility', fields));
    expect(await clients({ clientAProtocolVersion: '2025-11-25' })).toEqual(['evidence.protocolEras']);
    expect(await clients({ clientBProtocolVersion: '2026-07-28' })).toEqual([]);
    const onlyNew = { clientBProtocolVersion: '2026-07-28', legacyProtocolVersion: '2026-07-28' };
    expect(await clients(onlyNew)).toEqual(['evidence.clientCompatibility', 'evidence.protocolEras']);
  });

  verifies('gate.evidence.loopback-marker gate.idp.callback-limitation', 'is for cloud_idp only', async () => {
    const limited = { clientB: false, clientBProtocolVersion: undefined, clientBStatus: callbackLimitation };
    expect(await failing('strict', changed('strict', 'clientCompatibility', limited))).toEqual([
      'evidence.clientCompatibility',
    ]);
    const claims = { clientB: true, clientBProtocolVersion: '2025-11-25' };
    expect(await failing('cloud_idp', changed('cloud_idp', 'clientCompatibility', claims))).toEqual([
      'evidence.clientCompatibility',
    ]);
    const compatible = { clientBCallbackCompatible: true, clientBCallbackStatus: undefined };
    expect(await failing('cloud_idp', changed('cloud_idp', 'idpCompatibility', compatible))).toEqual([
      'evidence.idpCompatibility',
    ]);
  });

  verifies('gate.evidence.restore', 'the database restore is asked for under strict, not under cloud_idp', async () => {
    const { authorizationServerRestore: _gone, ...without } = passingEvidence('strict');
    expect(await failing('strict', without)).toEqual(['evidence.authorizationServerRestore']);
    const { authorizationServerRestore } = passingEvidence('strict');
    const broken = { ...(authorizationServerRestore as object), passed: false };
    expect(await failing('cloud_idp', { ...passingEvidence('cloud_idp'), authorizationServerRestore: broken })).toEqual(
      ['evidence.authorizationServerRestore'],
    );
  });

  verifies('gate.evidence.health gate.evidence.jwks-cold', 'the process was cold; collection went on', async () => {
    for (const field of ['coldProcess', 'healthz', 'readyz', 'routerCollectionHealthy']) {
      const document = changed('strict', 'jwksOutage', { [field]: false });
      expect(await failing('strict', document)).toEqual(['evidence.jwksOutage']);
    }
  });

  verifies('gate.idp.block-matches gate.idp.pkce', 'what only resembles the settings of the gate fails', async () => {
    for (const wrong of [
      { issuer: 'https://issuer.gatehouse.example' },
      { resource: 'https://mcp.gatehouse.example/mcp/' },
      { pkceMethod: 'plain' },
    ]) {
      const document = changed('cloud_idp', 'idpCompatibility', wrong);
      expect([wrong, await failing('cloud_idp', document)]).toEqual([wrong, ['evidence.idpCompatibility']]);
    }
  });
});

/** Values a field must not have: none, of another type, the opposite. */
function brokenValues(field: string, value: unknown): unknown[] {
  const others: unknown[] = [null, 0, [], { x: 1 }, typeof value === 'boolean' ? !value : true];
  const text = freeTexts.includes(field) ? ['', '   '] : ['x'];
  return [...(optionalFields.includes(field) ? [] : [undefined]), ...others, ...text];
}

/** What else failed: a broken client run may leave an era without a run, and the block of the provider without its twin. */
function others(found: readonly string[], own: string, name: string): string[] {
  const expected = name === 'clientCompatibility' ? ['evidence.protocolEras', 'evidence.idpCompatibility'] : [];
  return found.filter((id) => id !== own && !expected.includes(id));
}

function byOrder(a: string, b: string): number {
  const ids = evidenceRules.map(({ id }) => id);
  return ids.indexOf(a) - ids.indexOf(b);
}
