// How the mistakes of gate/mistakes/evidence.ts are made on the stage: with a text editor, mostly.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { transcriptFolder, transcriptPath } from '#gate/evidence/transcripts.ts';
import { createKeyPair, signaturePathOf, signFile } from '#gate/signature.ts';
import { writeJson, writeText } from '#kernel/files/files.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { type Stage, stagedCommit } from '../../../scripts/stage.ts';
import { warm } from '../../support/gate-stage.ts';
import { collectedOn, collectItem, type Seen } from '../collected.ts';
import { gateSeesHub } from '../other-hubs.ts';
import type { Made } from './made.ts';

type Members = Record<string, unknown>;
type Make = Made['make'];

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
    rmSync(signaturePathOf(stage.evidence), { force: true });
    if (by !== 'nobody') {
      const { privatePem } = by === 'operator' ? operator : stranger;
      const text = readFileSync(stage.evidence, 'utf8');
      writeJson(signaturePathOf(stage.evidence), signFile(privatePem, kind, 'evidence.json', text, {}));
    }
  };

const untold: Record<string, Made> = {
  'evidence.nothing-measured': {
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
  'evidence.one-item-typed': {
    make: first(
      edit('reverseProxyLimits', (members) =>
        Object.fromEntries(Object.entries(members).filter(([name]) => minimum.includes(name))),
      ),
      ({ evidence }) => rmSync(transcriptPath(evidence, 'reverseProxyLimits', 1)),
    ),
    because: /does not say how it came about/,
  },
  'evidence.digest-of-zeros': {
    make: edit('directIngress', provenance({ transcriptSha256: '0'.repeat(64), attempts: ['0'.repeat(64)] })),
    because: /missing, or were changed/,
  },
  'evidence.attested-what-is-measured': {
    make: edit('jwksOutage', (members) => ({ ...members, provenance: { how: 'attested', by: 'Ada Example' } })),
    because: /measured with `gate collect jwks-outage`, and not attested/,
  },
  'evidence.measured-what-is-attested': {
    make: (stage) => {
      const { directIngress } = documentOf(stage);
      edit('rollback', (members) => ({ ...members, provenance: directIngress?.provenance }))(
        stage,
        new AsyncDisposableStack(),
      );
    },
    because: /nothing measures it/,
  },
  'evidence.unknown-provenance': {
    make: edit('credentialRotation', provenance({ how: 'observed' })),
    because: /must say how/,
  },
  'evidence.measured-by-nobody': {
    make: edit('directIngress', provenance({ by: '' })),
    because: /name of a person/,
  },
  'evidence.attested-by-nobody': {
    make: edit('rollback', provenance({ by: '-' })),
    because: /name of a person/,
  },
};

const touchedUp: Record<string, Made> = {
  'evidence.transcript-lost': {
    make: ({ evidence }) => rmSync(transcriptPath(evidence, 'credentialRotation', 1)),
    because: /1 of 1 transcript\(s\) it names are missing/,
  },
  'evidence.transcript-changed': {
    make: (stage) => {
      const file = transcriptPath(stage.evidence, 'jwksOutage', 1);
      writeText(file, transcriptText(stage, 'jwksOutage').replace('saw it', 'saw that it was refused'));
    },
    because: /missing, or were changed/,
  },
  'evidence.failure-set-to-passed': {
    make: first(
      collect('directIngress', {}, { fields: { portsClosed: false }, objections: ['port 3000 is open'] }),
      edit('directIngress', (members) => ({ ...passed(members), portsClosed: true })),
    ),
    because: /says why it must not pass; portsClosed: the transcript says something else/,
  },
  'evidence.objection-passed-over': {
    make: first(
      collect('refreshRevocation', {}, { objections: ['an access token is not for exactly this resource'] }),
      edit('refreshRevocation', passed),
    ),
    because: /says why it must not pass/,
  },
  'evidence.lifetime-corrected': {
    make: first(
      collect('refreshRevocation', {}, { fields: { accessTokenLifetimeSeconds: 1200 } }),
      edit('refreshRevocation', (members) => ({ ...passed(members), accessTokenLifetimeSeconds: 600 })),
    ),
    because: /accessTokenLifetimeSeconds: the transcript says something else/,
  },
  'evidence.era-corrected': {
    make: first(
      collect('clientCompatibility', {}, { fields: { clientAProtocolVersion: '2025-11-25' } }),
      edit('clientCompatibility', (members) => ({ ...members, clientAProtocolVersion: '2026-07-28' })),
    ),
    because: /clientAProtocolVersion: the transcript says something else/,
  },
  'evidence.transcript-of-another-item': {
    make: (stage) => {
      const text = transcriptText(stage, 'credentialRotation');
      writeText(transcriptPath(stage.evidence, 'reverseProxyLimits', 1), text);
      const named = { transcriptSha256: sha256(text), attempts: [sha256(text)] };
      edit('reverseProxyLimits', provenance(named))(stage, new AsyncDisposableStack());
    },
    because: /of another item/,
  },
  'evidence.time-freshened': {
    make: first(
      forget('reverseProxyLimits'),
      (stage) => collectItem({ ...collectedOn(stage), now: systemClock.now() - 40 * dayMs }, 'reverseProxyLimits'),
      edit('reverseProxyLimits', (members) => ({ ...passed(members), testedAt: isoTime(systemClock.now()) })),
    ),
    because: /testedAt is not that of the transcript/,
  },
  'evidence.commit-freshened': {
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
  'evidence.worse-run-hidden': {
    make: async (stage, after) => {
      const before = readFileSync(stage.evidence, 'utf8');
      await collect('directIngress', {}, { fields: { portsClosed: false } })(stage, after);
      writeText(stage.evidence, before);
    },
    because: /1 run\(s\) of it are stored that it does not name/,
  },
  'evidence.worse-run-deleted': {
    make: first(
      collect('refreshRevocation', {}, { objections: ['the old refresh token was not refused'] }),
      collect('refreshRevocation', {}),
      ({ evidence }) => rmSync(transcriptPath(evidence, 'refreshRevocation', 2)),
    ),
    because: /1 of 3 transcript\(s\) it names are missing/,
  },
  'evidence.older-template': {
    make: (stage) => writeJson(stage.evidence, { ...documentOf(stage), healthChecks: { passed: true } }),
    because: /unknown key/,
  },
};

const ofAnother: Record<string, Made> = {
  'evidence.other-endpoint': {
    make: elsewhere('reverseProxyLimits', { endpoint: 'https://staging.gatehouse.test/mcp' }),
    because: /of another endpoint.*endpoint must be the endpoint of the gate/,
  },
  'evidence.other-issuer': {
    make: elsewhere('refreshRevocation', { issuer: 'https://issuer.gatehouse.test' }),
    because: /of another issuer.*issuer must be the issuer of the gate/,
  },
  'evidence.other-resource': {
    make: elsewhere('clientCompatibility', { resource: 'https://staging.gatehouse.test/mcp' }),
    because: /of another resource.*resource must be the resource of the gate/,
  },
  'evidence.attested-elsewhere': {
    make: collect('rollback', { endpoint: 'https://staging.gatehouse.test/mcp' }),
    because: /endpoint must be the endpoint of the gate/,
  },
  'evidence.cold-process-of-another-release': {
    make: first(collect('jwksOutage', {}, { processes: [otherCommit] }), edit('jwksOutage', passed)),
    because: /built from another commit/,
  },
  'evidence.process-without-commit': {
    make: first(collect('credentialRotation', {}, { processes: [null, null] }), edit('credentialRotation', passed)),
    because: /or does not say from which/,
  },
  'operator.commit-of-nothing': {
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
  'operator.endpoint-of-another-release': {
    make: async (stage) => {
      await stage.restartMcp({ GATEHOUSE_COMMIT: otherCommit });
      await warm(stage);
    },
    because: /built from another commit/,
  },
  'operator.hub-of-another-release': {
    make: (stage, after) =>
      gateSeesHub(stage, after, { change: (_path, body) => body.replaceAll(stagedCommit, otherCommit) }),
    because: /built from another commit/,
  },
  'endpoint.says-no-commit': {
    make: ({ edge }) => edge.control.fail('rewrite-body', { value: `+${stagedCommit} => ` }),
    because: /does not say what it was built from/,
  },
};

const signed: Record<string, Made> = {
  'evidence.edited-after-signing': {
    make: first(sign('evidence', 'operator'), (stage) =>
      writeText(stage.evidence, `${readFileSync(stage.evidence, 'utf8')}\n`),
    ),
    because: /another file, or the file was changed since/,
  },
  'evidence.not-signed': { make: sign('evidence', 'nobody'), because: /no signature next to it/ },
  'evidence.signed-with-another-key': { make: sign('evidence', 'stranger'), because: /by this key/ },
  'evidence.signed-as-report': { make: sign('report', 'operator'), because: /no evidence/ },
};

export const evidenceMade: Readonly<Record<string, Made>> = { ...untold, ...touchedUp, ...ofAnother, ...signed };
