// The plainest mistakes: those of checks that no other file is about.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeJson } from '#kernel/files/files.ts';
import { takeToken } from '../../../scripts/stage-tokens.ts';
import { collectedOn, collectItem } from '../collected.ts';
import { gateSeesHub } from '../other-hubs.ts';
import type { Making, Mistake } from './mistake.ts';

/** The edge changes one text of the answers to requests of this name. */
const rewrite =
  (value: string, request: string): Making['make'] =>
  ({ edge }) =>
    edge.fail('rewrite-body', { value, command: `gate-${request}-` });

const hubWithout =
  (broken: string): Making['make'] =>
  (stage, after) =>
    gateSeesHub(stage, after, { broken });

export const plainMistakes: readonly Mistake[] = [
  {
    id: 'evidence.provider-run-failed',
    sentence: 'the experiments with the cloud provider did not pass, and their item is in the evidence',
    red: ['evidence.idpCompatibility'],
    make({ evidence }) {
      const document = JSON.parse(readFileSync(evidence, 'utf8')) as object;
      writeJson(evidence, { ...document, idpCompatibility: { passed: false } });
    },
    because: /passed must be true/,
  },
  {
    id: 'evidence.clients-of-one-era',
    sentence: 'no client ran in era 2026-07-28',
    red: ['evidence.protocolEras'],
    make: (stage) =>
      collectItem(collectedOn(stage), 'clientCompatibility', { fields: { clientAProtocolVersion: '2025-11-25' } }),
    because: /no client ran in era 2026-07-28/,
  },
  {
    id: 'issuer.names-itself-otherwise',
    sentence: 'the discovery document names another issuer than the one it is found under',
    red: ['issuer.metadata'],
    make: ({ issuer }) => issuer.fail('wrong-issuer', { value: 'discovery' }),
    because: /its issuer is another text/,
  },
  {
    id: 'issuer.long-lived-tokens',
    sentence: 'access tokens live 20 minutes',
    red: ['tokens.lifetime'],
    async make(stage) {
      stage.issuer.fail('long-lived-token', { value: 1200 });
      stage.set({ MCP_GATE_READ_TOKEN: await takeToken(stage.tokenSource) });
      stage.issuer.clearFaults();
    },
    because: /the read token lives longer/,
  },
  {
    id: 'endpoint.older-initialize',
    sentence: 'initialize is answered with a revision of before 2025-11-25',
    red: ['era.legacy'],
    make: rewrite('2025-11-25 => 2025-01-01', 'initialize'),
    because: /another protocol version/,
  },
  {
    id: 'endpoint.malformed-accepted',
    sentence: 'a token that is no JWT is let in',
    red: ['token.malformed'],
    make: ({ edge, settings }) =>
      edge.fail('accept-any-token', {
        command: 'gate-malformed-',
        value: settings.MCP_GATE_WRITE_TOKEN ?? '',
      }),
    because: /it answers 200/,
  },
  {
    id: 'endpoint.write-tool-renamed',
    sentence: 'the write tool is listed under another name to a token with both scopes',
    red: ['scope.write-visible'],
    make: rewrite('set_device_note => set_device_memo', 'visible'),
    because: /is not listed/,
  },
  {
    id: 'operator.hub-not-alive',
    sentence: 'the hub does not answer at /healthz',
    red: ['hub.health'],
    make: hubWithout('/healthz'),
    because: /it answers 503/,
  },
  {
    id: 'operator.hub-not-ready',
    sentence: 'the hub is alive and not ready',
    red: ['hub.ready'],
    make: hubWithout('/readyz'),
    because: /it answers 503/,
  },
  {
    id: 'operator.hub-routers-unreadable',
    sentence: 'the hub does not say how its routers are',
    red: ['hub.routers'],
    make: hubWithout('/api/routers'),
    because: /the hub answers 503/,
  },
  {
    id: 'operator.no-audit-store',
    sentence: 'MCP_GATE_AUDIT_DB_PATH names a file that is no database',
    red: ['audit.integrity'],
    make(stage) {
      const file = path.join(stage.folder, 'other.db');
      writeFileSync(file, 'no database at all, but long enough to look like one '.repeat(100));
      stage.set({ MCP_GATE_AUDIT_DB_PATH: file });
    },
    because: /SQLITE_NOTADB|integrity check/,
  },
];
