// A report of a failing run can never be taken for a passing one; signatures hold for one file, one kind, one key.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categories, type Finding, RunEnded, runChecks } from '#gate/check.ts';
import { checkDescriptions } from '#gate/checks.ts';
import { findReportFaults } from '#gate/commands/verify-report.ts';
import { GateError } from '#gate/private-file.ts';
import {
  createReport,
  isReport,
  type Report,
  type RunFacts,
  readyStatus,
  reportText,
  resourceServerStatus,
} from '#gate/report.ts';
import { createKeyPair, predicateTypes, signatureFault, signFile, toKeyId } from '#gate/signature.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { verifies } from '../support/verifies.ts';
import { commit, testedAt } from './passing-evidence.ts';
import { facts } from './passing-report.ts';

const ids = checkDescriptions.map(({ id }) => id);
const { endpoint } = facts;
const expected = { now: testedAt, maxAgeMs: 86_400_000, commit, endpoint };

function findings(outcomes: readonly Finding['outcome'][]): Finding[] {
  return checkDescriptions.map(({ id, category }, index) => {
    const outcome = outcomes[index] ?? 'pass';
    return { id, category, outcome, because: outcome === 'pass' ? null : 'for a reason' };
  });
}

/** Of a run without evidence, against a server that is not Gatehouse's. */
function createEmptyFacts(): RunFacts {
  const { evidence } = facts;
  return { ...facts, gateProfile: 'resource-server', evidence: { ...evidence, measured: 0, attested: 0, items: [] } };
}

/** Measured by nobody. */
function nameless(evidence: Report['evidence']): Report['evidence'] {
  return { ...evidence, items: evidence.items.map((one) => ({ ...one, by: null })) };
}

function thrownBy(use: () => unknown): Error {
  try {
    use();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const outcome = fc.constantFrom('pass', 'not-required', 'fail', 'untestable');
const mostlyPass = fc.oneof({ weight: 40, arbitrary: fc.constant('pass' as const) }, { weight: 1, arbitrary: outcome });
const sets = fc.array(mostlyPass, { minLength: ids.length, maxLength: ids.length });

describe('report', () => {
  verifies('gate.run.ready-state', 'says ready exactly when every check holds, whatever the verdicts', () => {
    fc.assert(
      fc.property(sets, (outcomes) => {
        const holds = outcomes.every((one) => one === 'pass' || one === 'not-required');
        const report = createReport(ids, findings(outcomes), facts);
        expect(report.status === readyStatus).toBe(holds);
        expect(report.failedChecks.length === 0).toBe(holds);
        expect(findReportFaults(report, expected).length === 0).toBe(holds);
        const grades = JSON.stringify(report.checks);
        expect(grades.includes('"fail"')).toBe(!holds);
        expect(reportText(report).includes(readyStatus)).toBe(holds);
      }),
      { numRuns: 2000 },
    );
  });

  it('of the profile resource-server is never ready, and stands only where that profile is asked for', () => {
    const ofServer = createEmptyFacts();
    fc.assert(
      fc.property(sets, (outcomes) => {
        const report = createReport(ids, findings(outcomes), ofServer);
        const holds = outcomes.every((one) => one === 'pass' || one === 'not-required');
        expect(report.status).toBe(holds ? resourceServerStatus : 'failed');
        expect(reportText(report)).not.toContain(readyStatus);
        expect(isReport(report)).toBe(true);
        expect(findReportFaults(report, { ...expected, profile: 'resource-server' }).length === 0).toBe(holds);
        expect(findReportFaults(report, expected)).toContain(
          'it is of the profile resource-server, not of publication',
        );
        const edited = {
          ...report,
          profile: undefined,
          notApplicable: undefined,
          status: readyStatus,
        } as unknown as Report;
        expect(findReportFaults(edited, expected)).not.toEqual([]);
      }),
    );
    const cloud = createReport(ids, findings([]), { ...ofServer, profile: 'cloud_idp' });
    expect(cloud.checks.authorizationCompatibility).toBe('pass');
    const publication = createReport(ids, findings([]), facts);
    expect(findReportFaults(publication, { ...expected, profile: 'resource-server' })).toEqual([
      'it is of the profile publication, not of resource-server',
    ]);
  });

  verifies('gate.report.content', 'has the given facts, and fails each category with a failing check, no other', () => {
    const grades = (report: Report) =>
      Object.entries(report.checks).map(([name, grade]) => [name, JSON.stringify(grade)]);
    const right = createReport(ids, findings([]), facts);
    expect(right).toMatchObject({
      deployedCommit: commit,
      checkedAt: isoTime(testedAt),
      endpointHost: 'mcp.gatehouse.test',
      enabledRouters: 1,
    });
    expect(Object.keys(right.checks).sort()).toEqual([...categories].sort());
    expect(JSON.stringify(grades(right))).not.toContain('fail');
    for (const [index, { category }] of checkDescriptions.entries()) {
      const outcomes = checkDescriptions.map((_, at) => (at === index ? 'fail' : 'pass'));
      const failed = grades(createReport(ids, findings(outcomes), facts)).filter(([, grade]) =>
        grade?.includes('fail'),
      );
      expect(failed.map(([name]) => name)).toEqual([category]);
    }
  });

  it('is refused when a finding is missing, doubled or foreign, and when there is none', () => {
    const all = findings([]);
    const [first, second] = all;
    if (!first || !second) {
      throw new Error('the gate has no checks');
    }
    for (const wrong of [all.slice(1), [...all, first], [first, ...all.slice(1, -1), first], []]) {
      expect(() => createReport(ids, wrong, facts)).toThrow('exactly one for each check');
    }
    expect(() => createReport([], [], facts)).toThrow();
  });

  it('verification finds every way in which a report does not stand', () => {
    const report = createReport(ids, findings([]), facts);
    expect(findReportFaults(report, expected)).toEqual([]);
    for (const [change, reason] of [
      [{ status: 'failed' }, /status/],
      [{ failedChecks: ['x'] }, /failed checks/],
      [{ findings: report.findings.slice(1) }, /not those of this version/],
      [{ findings: findings(['untestable']) }, /does not hold/],
      [{ deployedCommit: 'f'.repeat(40) }, /another commit/],
      [{ endpoint: 'https://other.gatehouse.test/mcp' }, /another endpoint/],
      [{ checks: { ...report.checks, audit: 'fail' } }, /do not agree/],
      [{ evidenceSigned: true }, /do not agree/],
      [{ evidence: { ...report.evidence, measured: 8 } }, /do not agree/],
      [{ evidence: { ...report.evidence, items: report.evidence.items.slice(1) } }, /do not agree/],
      [{ evidence: nameless(report.evidence) }, /do not agree/],
      [{ checkedAt: 'yesterday' }, /when it was made/],
      [{ checkedAt: '2026-11-20T09:29:59Z' }, /too old/],
      [{ checkedAt: '2026-11-21T09:36:00Z' }, /future/],
      [{ dnsPublished: true }, /published/],
    ] satisfies [Partial<Report>, RegExp][]) {
      expect(findReportFaults({ ...report, ...change }, expected).join()).toMatch(reason);
    }
    const signedBy = (key: string) => ({ evidenceSigned: true, evidence: { ...report.evidence, signedBy: key } });
    expect(findReportFaults({ ...report, ...signedBy('0f'.repeat(32)) }, expected)).toEqual([]);
    for (const key of ['0f'.repeat(31), `x${'0f'.repeat(32)}`, `${'0f'.repeat(32)}x`, '0F'.repeat(32)]) {
      expect(findReportFaults({ ...report, ...signedBy(key) }, expected), key).toEqual([
        'its parts do not agree with its checks',
      ]);
    }
    expect(isReport({ ...report, findings: 'all passed' })).toBe(false);
    expect(isReport(null)).toBe(false);
  });

  it('any file that looks like a report gets a verdict', () => {
    const report = createReport(ids, findings([]), facts);
    const members = fc.dictionary(fc.constantFrom(...Object.keys(report)), fc.jsonValue());
    const lists = fc.record({ findings: fc.array(fc.jsonValue()), failedChecks: fc.array(fc.jsonValue()) });
    expect(findReportFaults({ ...report, findings: [null] } as unknown as Report, expected)).not.toEqual([]);
    fc.assert(
      fc.property(members, lists, (some, others) => {
        const any: unknown = { ...report, ...some, ...others };
        expect(isReport(any) ? findReportFaults(any, expected) : ['no report']).not.toEqual([]);
      }),
    );
  });
});

describe('a run of checks', () => {
  const check = (id: string, judge: () => Finding['outcome'], needs: string[] = []) => ({
    id,
    asks: id,
    category: 'audit' as const,
    remedy: '',
    needs,
    judge: () => ({ outcome: judge(), because: 'said so' }) as never,
  });

  it('gives one finding per check, goes on after failures, and does not run what lacks its needs', async () => {
    const ran: string[] = [];
    const note = (id: string, value: Finding['outcome']) => () => {
      ran.push(id);
      return value;
    };
    const secret = 'Bearer eyJ-secret';
    const found = await runChecks(
      [
        check('a', note('a', 'fail')),
        check('b', note('b', 'pass'), ['a']),
        check('c', note('c', 'not-required')),
        check('d', note('d', 'pass'), ['c']),
        check('e', () => {
          throw Object.assign(new Error(secret), { code: 'ECONNREFUSED' });
        }),
        check('f', () => {
          throw secret;
        }),
        check('g', note('g', 'pass'), ['b']),
      ],
      undefined,
    );
    expect(found.map((one) => one.outcome)).toEqual([
      'fail',
      'untestable',
      'not-required',
      'pass',
      'untestable',
      'untestable',
      'untestable',
    ]);
    expect(ran).toEqual(['a', 'c', 'd']);
    expect(found[4]?.because).toContain('ECONNREFUSED');
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('an interrupted run leaves the rest untestable', async () => {
    const stop = new AbortController();
    const first = check('a', () => {
      stop.abort();
      return 'pass';
    });
    const found = await runChecks([first, check('b', () => 'pass')], undefined, { signal: stop.signal });
    expect(found.map((one) => one.outcome)).toEqual(['pass', 'untestable']);
  });

  it('a run that took too long ends also in a check that does not heed it, and says why', async () => {
    const stop = new AbortController();
    const hanging = { ...check('a', () => 'pass'), judge: () => new Promise<never>(() => stop.abort(late)) };
    const late = new RunEnded('the run took longer than MCP_GATE_RUN_TIMEOUT_MS');
    const found = await runChecks([hanging, check('b', () => 'pass')], undefined, { signal: stop.signal });
    expect(found.map(({ outcome, because }) => [outcome, because])).toEqual([
      ['untestable', 'the run took longer than MCP_GATE_RUN_TIMEOUT_MS during it'],
      ['untestable', 'the run took longer than MCP_GATE_RUN_TIMEOUT_MS before it'],
    ]);
  });

  it('ids are unique, and needs name checks that come earlier', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, { needs }] of checkDescriptions.entries()) {
      expect(ids.slice(0, index)).toEqual(expect.arrayContaining([...needs]));
    }
  });
});

describe('signatures', () => {
  const owner = createKeyPair();
  const text = '{"schemaVersion":3}\n';
  const envelope = signFile(owner.privatePem, 'evidence', 'evidence.json', text, { tool: 'gatehouse' });

  it('hold for the file, the kind and the key they were made for, and nothing else', () => {
    expect(signatureFault(owner.publicPem, 'evidence', text, envelope)).toBeNull();
    expect(signatureFault(owner.publicPem, 'evidence', `${text} `, envelope)).toMatch(/another file/);
    expect(signatureFault(owner.publicPem, 'report', text, envelope)).toMatch(/no report/);
    expect(signatureFault(createKeyPair().publicPem, 'evidence', text, envelope)).toMatch(/by this key/);
    for (const wrong of [undefined, {}, { ...envelope, payloadType: 'text/plain' }, { ...envelope, signatures: [] }]) {
      expect(signatureFault(owner.publicPem, 'evidence', text, wrong)).not.toBeNull();
    }
    const forged = Buffer.from(envelope.payload, 'base64').toString().replace('evidence.json', 'evidence.jsom');
    const payload = Buffer.from(forged).toString('base64');
    expect(signatureFault(owner.publicPem, 'evidence', text, { ...envelope, payload })).toMatch(/by this key/);
  });

  it('give a verdict on any JSON document, and on any statement that is really signed', () => {
    const json = fc.jsonValue();
    const signatures = fc.oneof(json, fc.array(fc.oneof(json, fc.constantFrom(...envelope.signatures))));
    const payload = fc.oneof(json, fc.constant(envelope.payload), fc.string());
    const document = fc.oneof(
      json,
      fc.record({ payloadType: fc.constant(envelope.payloadType), payload, signatures }, { requiredKeys: [] }),
    );
    const verdict = (one: unknown) => signatureFault(owner.publicPem, 'evidence', text, one);
    for (const wrong of [
      null,
      [null],
      { ...envelope, signatures: [null] },
      { ...envelope, signatures: [null, 7, []] },
    ]) {
      expect(verdict(wrong)).toEqual(expect.any(String));
    }
    expect(verdict({ ...envelope, signatures: [null, ...envelope.signatures] })).toBeNull();
    fc.assert(
      fc.property(document, (one) => {
        const found = verdict(one);
        expect(found === null || found.length > 0).toBe(true);
      }),
    );
    const key = createPrivateKey(owner.privatePem);
    const statement = fc.oneof(
      json,
      fc.record({
        _type: fc.constant('https://in-toto.io/Statement/v1'),
        predicateType: fc.constant(predicateTypes.evidence),
        subject: fc.oneof(json, fc.tuple(json), fc.tuple(fc.record({ digest: json }))),
      }),
    );
    fc.assert(
      fc.property(statement, (one) => {
        const body = Buffer.from(JSON.stringify(one));
        const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${body.length} `;
        const sig = sign(null, Buffer.concat([Buffer.from(head), body]), key).toString('base64');
        const signed = { ...envelope, payload: body.toString('base64'), signatures: [{ keyid: '', sig }] };
        expect(verdict(signed)).toMatch(/^what is signed is (?:no evidence|another file)/);
      }),
    );
  });

  it('need an Ed25519 key in PEM form, and say which of the two is none', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const faults = (secret: string, open: string) => [
      thrownBy(() => signFile(secret, 'report', 'report.json', text, {})),
      thrownBy(() => signatureFault(open, 'evidence', text, envelope)),
      thrownBy(() => toKeyId(open)),
    ];
    const said = (because: string) =>
      ['the signing key', 'the public key', 'the public key'].map(
        (what) => `${what} ${because} with \`gatehouse gate keygen\``,
      );
    const others = faults(pkcs8, spki);
    expect(others.map(({ message }) => message)).toEqual(said('is not an Ed25519 key: make one'));
    const none = faults('no key', 'no key');
    expect(none.map(({ message }) => message)).toEqual(said('is not a key in PEM form: make one'));
    expect([...others, ...none].every((error) => error instanceof GateError)).toBe(true);
    expect(none.map(({ cause }) => cause)).toEqual(Array(3).fill(expect.any(Error)));
  });

  it('sign the DSSE v1 pre-authentication encoding of an in-toto statement', async () => {
    const { createPublicKey, verify } = await import('node:crypto');
    const body = Buffer.from(envelope.payload, 'base64');
    const type = 'application/vnd.in-toto+json';
    const encoded = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body]);
    const [signature] = envelope.signatures;
    const key = createPublicKey(owner.publicPem);
    expect(verify(null, encoded, key, Buffer.from(signature?.sig ?? '', 'base64'))).toBe(true);
    expect(JSON.parse(body.toString())).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'evidence.json', digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    });
  });
});

it('checks leave nothing on the signal of their run', async () => {
  const { signal } = new AbortController();
  const check = { asks: 'nothing', category: 'audit', remedy: 'none' } as const;
  await runChecks(
    [
      { ...check, id: 'one', judge: async () => ({ outcome: 'pass' }) },
      { ...check, id: 'two', judge: () => Promise.reject(new Error('broken')) },
    ],
    {},
    { signal },
  );
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
