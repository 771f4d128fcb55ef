// Mistakes in the evidence, its signature and its report: what was measured, by whom, of what.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { items } from '#gate/evidence/items.ts';
import { transcriptFolder, transcriptPath } from '#gate/evidence/transcripts.ts';
import { createKeyPair, signFile, toSignaturePath } from '#gate/signature.ts';
import { writeJson, writeText } from '#kernel/files/files.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { type Stage, stagedCommit } from '../../../scripts/stage.ts';
import { warm } from '../../support/gate-stage.ts';
import { collectedOn, collectItem, type Seen } from '../collected.ts';
import { gateSeesHub } from '../other-hubs.ts';
import type { Making, Mistake } from './mistake.ts';

type Members = Record<string, unknown>;
type Make = Making['make'];

const otherCommit = 'f'.repeat(40);
const dayMs = 86_400_000;
/** What the specification asks of every item. */
const minimum = ['passed', 'testedAt', 'commit'];
const ours = ['endpoint', 'issuer', 'resource', 'provenance'];

const documentOf = ({ evidence }: Stage) => JSON.parse(readFileSync(evidence, 'utf8')) as Record<string, Members>;

/** Changes an item with a text editor. */
const edit =
  (item: string, change: (members: Members) => Members): Make =>
  (stage) => {
    const document = documentOf(stage);
    writeJson(stage.evidence, { ...document, [item]: change(document[item] ?? {}) });
  };

const withoutOurs = (members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !ours.includes(name)));
const provenance = (change: Members) => (members: Members) => ({
  ...members,
  provenance: { ...(members.provenance as Members), ...change },
});
const passed = (members: Members) => ({ ...members, passed: true });

/** One more run, for or of something else. */
const collect =
  (item: string, about: Members, seen: Partial<Seen> = {}): Make =>
  (stage) =>
    collectItem({ ...collectedOn(stage), ...about }, item, seen);

/** One after the other. */
const first =
  (...steps: Make[]): Make =>
  async (stage, after) => {
    for (const step of steps) {
      await step(stage, after);
    }
  };

const transcriptText = (stage: Stage, item: string) => readFileSync(transcriptPath(stage.evidence, item, 1), 'utf8');

/** Begins the runs of an item again, so that the next is its first. */
const forget =
  (item: string): Make =>
  (stage) => {
    rmSync(transcriptPath(stage.evidence, item, 1));
    edit(item, withoutOurs)(stage, new AsyncDisposableStack());
  };

/** The item as it was collected with another setting of the gate. */
const elsewhere = (item: string, about: Members): Make => first(forget(item), collect(item, about));

/** Signs the evidence, and configures the key it should be signed with. */
const sign =
  (kind: 'evidence' | 'report', by: 'operator' | 'stranger' | 'nobody'): Make =>
  (stage) => {
    const [operator, stranger] = [createKeyPair(), createKeyPair()];
    const file = path.join(stage.folder, 'operator.pub');
    writeText(file, operator.publicPem);
    stage.set({ MCP_GATE_EVIDENCE_KEY_PATH: file });
    rmSync(toSignaturePath(stage.evidence), { force: true });
    if (by !== 'nobody') {
      const { privatePem } = by === 'operator' ? operator : stranger;
      const text = readFileSync(stage.evidence, 'utf8');
      writeJson(toSignaturePath(stage.evidence), signFile(privatePem, kind, 'evidence.json', text, {}));
    }
  };

const strict = items.filter(({ requiredBy }) => requiredBy.includes('strict')).map(({ name }) => `evidence.${name}`);

const untold: readonly Mistake[] = [
  {
    id: 'evidence.nothing-measured',
    sentence: 'every item is typed: passed, time and commit',
    red: strict,
    make(stage) {
      const typed = Object.entries(documentOf(stage)).map(([name, value]) => [
        name,
        typeof value === 'object' ? withoutOurs(value) : value,
      ]);
      writeJson(stage.evidence, Object.fromEntries(typed));
      rmSync(transcriptFolder(stage.evidence), { recursive: true });
    },
    because: /does not say how it came about/,
  },
  {
    id: 'evidence.one-item-typed',
    sentence: 'one item is typed among measured ones',
    red: ['evidence.reverseProxyLimits'],
    make: first(
      edit('reverseProxyLimits', (members) =>
        Object.fromEntries(Object.entries(members).filter(([name]) => minimum.includes(name))),
      ),
      ({ evidence }) => rmSync(transcriptPath(evidence, 'reverseProxyLimits', 1)),
    ),
    because: /does not say how it came about/,
  },
  {
    id: 'evidence.digest-of-zeros',
    sentence: 'an item says that it was measured, with 64 zeros as the digest of its transcript',
    red: ['evidence.directIngress'],
    make: edit('directIngress', provenance({ transcriptSha256: '0'.repeat(64), attempts: ['0'.repeat(64)] })),
    because: /missing, or were changed/,
  },
  {
    id: 'evidence.attested-what-is-measured',
    sentence: 'a person attests what a collector measures',
    red: ['evidence.jwksOutage'],
    make: edit('jwksOutage', (members) => ({ ...members, provenance: { how: 'attested', by: 'Ada Example' } })),
    because: /measured with `gate collect jwks-outage`, and not attested/,
  },
  {
    id: 'evidence.measured-what-is-attested',
    sentence: 'an item that no collector measures says that it was measured',
    red: ['evidence.rollback'],
    make: (stage) => {
      const { directIngress } = documentOf(stage);
      edit('rollback', (members) => ({ ...members, provenance: directIngress?.provenance }))(
        stage,
        new AsyncDisposableStack(),
      );
    },
    because: /nothing measures it/,
  },
  {
    id: 'evidence.unknown-provenance',
    sentence: 'an item says that it was observed',
    red: ['evidence.credentialRotation'],
    make: edit('credentialRotation', provenance({ how: 'observed' })),
    because: /must say how/,
  },
  {
    id: 'evidence.measured-by-nobody',
    sentence: 'a measured item names nobody',
    red: ['evidence.directIngress'],
    make: edit('directIngress', provenance({ by: '' })),
    because: /name of a person/,
  },
  {
    id: 'evidence.attested-by-nobody',
    sentence: 'the rollback is attested by a dash',
    red: ['evidence.rollback'],
    make: edit('rollback', provenance({ by: '-' })),
    because: /name of a person/,
  },
];

const touchedUp: readonly Mistake[] = [
  {
    id: 'evidence.transcript-lost',
    sentence: 'the evidence was copied without one of its transcripts',
    red: ['evidence.credentialRotation'],
    make: ({ evidence }) => rmSync(transcriptPath(evidence, 'credentialRotation', 1)),
    because: /1 of 1 transcript\(s\) it names are missing/,
  },
  {
    id: 'evidence.transcript-changed',
    sentence: 'a transcript was changed after its run',
    red: ['evidence.jwksOutage'],
    make: (stage) => {
      const file = transcriptPath(stage.evidence, 'jwksOutage', 1);
      writeText(file, transcriptText(stage, 'jwksOutage').replace('saw it', 'saw that it was refused'));
    },
    because: /missing, or were changed/,
  },
  {
    id: 'evidence.failure-set-to-passed',
    sentence: 'a run found an open port, and its item was set to passed by hand',
    red: ['evidence.directIngress'],
    make: first(
      collect('directIngress', {}, { fields: { portsClosed: false }, objections: ['port 3000 is open'] }),
      edit('directIngress', (members) => ({ ...passed(members), portsClosed: true })),
    ),
    because: /says why it must not pass; portsClosed: the transcript says something else/,
  },
  {
    id: 'evidence.objection-passed-over',
    sentence: 'a run objected although its fields are right, and its item was set to passed by hand',
    red: ['evidence.refreshRevocation'],
    make: first(
      collect('refreshRevocation', {}, { objections: ['an access token is not for exactly this resource'] }),
      edit('refreshRevocation', passed),
    ),
    because: /says why it must not pass/,
  },
  {
    id: 'evidence.lifetime-corrected',
    sentence: 'access tokens of 20 minutes were measured, and 10 were written',
    red: ['evidence.refreshRevocation'],
    make: first(
      collect('refreshRevocation', {}, { fields: { accessTokenLifetimeSeconds: 1200 } }),
      edit('refreshRevocation', (members) => ({ ...passed(members), accessTokenLifetimeSeconds: 600 })),
    ),
    because: /accessTokenLifetimeSeconds: the transcript says something else/,
  },
  {
    id: 'evidence.era-corrected',
    sentence: 'both clients ran in the older era, and the newer was written for one',
    red: ['evidence.clientCompatibility'],
    make: first(
      collect('clientCompatibility', {}, { fields: { clientAProtocolVersion: '2025-11-25' } }),
      edit('clientCompatibility', (members) => ({ ...members, clientAProtocolVersion: '2026-07-28' })),
    ),
    because: /clientAProtocolVersion: the transcript says something else/,
  },
  {
    id: 'evidence.transcript-of-another-item',
    sentence: 'the transcript of one item serves for another',
    red: ['evidence.reverseProxyLimits'],
    make: (stage) => {
      const text = transcriptText(stage, 'credentialRotation');
      writeText(transcriptPath(stage.evidence, 'reverseProxyLimits', 1), text);
      const named = { transcriptSha256: sha256(text), attempts: [sha256(text)] };
      edit('reverseProxyLimits', provenance(named))(stage, new AsyncDisposableStack());
    },
    because: /of another item/,
  },
  {
    id: 'evidence.time-freshened',
    sentence: 'a run of 40 days ago was given the time of today',
    red: ['evidence.reverseProxyLimits'],
    make: first(
      forget('reverseProxyLimits'),
      (stage) => collectItem({ ...collectedOn(stage), now: systemClock.now() - 40 * dayMs }, 'reverseProxyLimits'),
      edit('reverseProxyLimits', (members) => ({ ...passed(members), testedAt: isoTime(systemClock.now()) })),
    ),
    because: /testedAt is not that of the transcript/,
  },
  {
    id: 'evidence.commit-freshened',
    sentence: 'a run for the release before was given the commit of this one',
    red: ['evidence.jwksOutage'],
    make: async (stage, after) => {
      const { deployedCommit } = documentOf(stage);
      const about = (commit: unknown) => writeJson(stage.evidence, { ...documentOf(stage), deployedCommit: commit });
      await forget('jwksOutage')(stage, after);
      about(otherCommit);
      await collect('jwksOutage', { commit: otherCommit }, { processes: [otherCommit] })(stage, after);
      about(deployedCommit);
      await edit('jwksOutage', (members) => ({ ...members, commit: deployedCommit }))(stage, after);
    },
    because: /of another commit/,
  },
  {
    id: 'evidence.worse-run-hidden',
    sentence: 'a later run failed, and the evidence of the run before was put back',
    red: ['evidence.directIngress'],
    make: async (stage, after) => {
      const before = readFileSync(stage.evidence, 'utf8');
      await collect('directIngress', {}, { fields: { portsClosed: false } })(stage, after);
      writeText(stage.evidence, before);
    },
    because: /1 run\(s\) of it are stored that it does not name/,
  },
  {
    id: 'evidence.worse-run-deleted',
    sentence: 'a collector ran until it passed, and the transcripts of the failures were deleted',
    red: ['evidence.refreshRevocation'],
    make: first(
      collect('refreshRevocation', {}, { objections: ['the old refresh token was not refused'] }),
      collect('refreshRevocation', {}),
      ({ evidence }) => rmSync(transcriptPath(evidence, 'refreshRevocation', 2)),
    ),
    because: /1 of 3 transcript\(s\) it names are missing/,
  },
  {
    id: 'evidence.older-template',
    sentence: 'an older template was given the number 3',
    red: ['evidence.document'],
    make: (stage) => writeJson(stage.evidence, { ...documentOf(stage), healthChecks: { passed: true } }),
    because: /unknown key/,
  },
];

const ofAnother: readonly Mistake[] = [
  {
    id: 'evidence.other-endpoint',
    sentence: 'an item was collected on another endpoint',
    red: ['evidence.reverseProxyLimits'],
    make: elsewhere('reverseProxyLimits', { endpoint: 'https://staging.gatehouse.test/mcp' }),
    because: /of another endpoint.*endpoint must be the endpoint of the gate/,
  },
  {
    id: 'evidence.other-issuer',
    sentence: 'an item was collected at another issuer',
    red: ['evidence.refreshRevocation'],
    make: elsewhere('refreshRevocation', { issuer: 'https://issuer.gatehouse.test' }),
    because: /of another issuer.*issuer must be the issuer of the gate/,
  },
  {
    id: 'evidence.other-resource',
    sentence: 'an item was collected for another resource',
    red: ['evidence.clientCompatibility'],
    make: elsewhere('clientCompatibility', { resource: 'https://staging.gatehouse.test/mcp' }),
    because: /of another resource.*resource must be the resource of the gate/,
  },
  {
    id: 'evidence.attested-elsewhere',
    sentence: 'the rollback that is attested is that of another endpoint',
    red: ['evidence.rollback'],
    make: collect('rollback', { endpoint: 'https://staging.gatehouse.test/mcp' }),
    because: /endpoint must be the endpoint of the gate/,
  },
  {
    id: 'evidence.cold-process-of-another-release',
    sentence: 'the cold process of the outage was started from another checkout',
    red: ['evidence.jwksOutage'],
    make: first(collect('jwksOutage', {}, { processes: [otherCommit] }), edit('jwksOutage', passed)),
    because: /built from another commit/,
  },
  {
    id: 'evidence.process-without-commit',
    sentence: 'the processes of the rotation do not know what they were built from',
    red: ['evidence.credentialRotation'],
    make: first(collect('credentialRotation', {}, { processes: [null, null] }), edit('credentialRotation', passed)),
    because: /or does not say from which/,
  },
  {
    id: 'operator.commit-of-nothing',
    sentence: 'settings and evidence agree on a commit that is deployed nowhere',
    red: ['release.endpoint', 'release.hub'],
    make: (stage) => {
      const text = readFileSync(stage.evidence, 'utf8');
      rmSync(transcriptFolder(stage.evidence), { recursive: true });
      stage.set({ MCP_GATE_DEPLOYED_COMMIT: otherCommit });
      writeText(stage.evidence, text.replaceAll(stagedCommit, otherCommit));
      for (const [name, value] of Object.entries(documentOf(stage))) {
        if (typeof value === 'object') {
          edit(name, withoutOurs)(stage, new AsyncDisposableStack());
          collectItem(collectedOn(stage), name);
        }
      }
    },
    because: /built from another commit/,
  },
  {
    id: 'operator.endpoint-of-another-release',
    sentence: 'the endpoint still runs the release before',
    red: ['release.endpoint'],
    make: async (stage) => {
      await stage.restartMcp({ GATEHOUSE_COMMIT: otherCommit });
      await warm(stage);
    },
    because: /built from another commit/,
  },
  {
    id: 'operator.hub-of-another-release',
    sentence: 'the hub still runs the release before',
    red: ['release.hub'],
    make: (stage, after) =>
      gateSeesHub(stage, after, { change: (_path, body) => body.replaceAll(stagedCommit, otherCommit) }),
    because: /built from another commit/,
  },
  {
    id: 'endpoint.says-no-commit',
    sentence: 'the endpoint does not know what it was built from',
    red: ['release.endpoint'],
    make: ({ edge }) => edge.fail('rewrite-body', { value: `+${stagedCommit} => ` }),
    because: /does not say what it was built from/,
  },
];

const signed: readonly Mistake[] = [
  {
    id: 'evidence.edited-after-signing',
    sentence: 'the evidence was changed after it was signed',
    red: ['evidence.signature'],
    make: first(sign('evidence', 'operator'), (stage) =>
      writeText(stage.evidence, `${readFileSync(stage.evidence, 'utf8')}\n`),
    ),
    because: /another file, or the file was changed since/,
  },
  {
    id: 'evidence.not-signed',
    sentence: 'a key is configured, and nothing is signed',
    red: ['evidence.signature'],
    make: sign('evidence', 'nobody'),
    because: /no signature next to it/,
  },
  {
    id: 'evidence.signed-with-another-key',
    sentence: 'somebody else signed the evidence',
    red: ['evidence.signature'],
    make: sign('evidence', 'stranger'),
    because: /by this key/,
  },
  {
    id: 'evidence.signed-as-report',
    sentence: 'the evidence was signed as if it were a report',
    red: ['evidence.signature'],
    make: sign('report', 'operator'),
    because: /no evidence/,
  },
];

export const evidenceMistakes: readonly Mistake[] = [...untold, ...touchedUp, ...ofAnother, ...signed];
