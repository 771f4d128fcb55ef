// How the mistakes of gate/mistakes/plain.ts are made on the stage.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeJson } from '#kernel/files/files.ts';
import { takeToken } from '../../../scripts/stage-tokens.ts';
import { collectedOn, collectItem } from '../collected.ts';
import { gateSeesHub } from '../other-hubs.ts';
import type { Made } from './made.ts';

/** The edge changes one text of the answers to requests of this name. */
const rewrite =
  (value: string, request: string): Made['make'] =>
  ({ edge }) =>
    edge.control.fail('rewrite-body', { value, command: `gate-${request}-` });

const hubWithout =
  (broken: string): Made['make'] =>
  (stage, after) =>
    gateSeesHub(stage, after, { broken });

export const plainMade: Readonly<Record<string, Made>> = {
  'evidence.provider-run-failed': {
    make({ evidence }) {
      const document = JSON.parse(readFileSync(evidence, 'utf8')) as object;
      writeJson(evidence, { ...document, idpCompatibility: { passed: false } });
    },
    because: /passed must be true/,
  },
  'evidence.clients-of-one-era': {
    make: (stage) =>
      collectItem(collectedOn(stage), 'clientCompatibility', { fields: { clientAProtocolVersion: '2025-11-25' } }),
    because: /no client ran in era 2026-07-28/,
  },
  'issuer.names-itself-otherwise': {
    make: ({ issuer }) => issuer.control.fail('wrong-issuer', { value: 'discovery' }),
    because: /its issuer is another text/,
  },
  'issuer.long-lived-tokens': {
    async make(stage) {
      stage.issuer.control.fail('long-lived-token', { value: 1200 });
      stage.set({ MCP_GATE_READ_TOKEN: await takeToken(stage.tokenSource) });
      stage.issuer.control.clearFaults();
    },
    because: /the read token lives longer/,
  },
  'endpoint.older-initialize': {
    make: rewrite('2025-11-25 => 2025-01-01', 'initialize'),
    because: /another protocol version/,
  },
  'endpoint.malformed-accepted': {
    make: ({ edge, settings }) =>
      edge.control.fail('accept-any-token', {
        command: 'gate-malformed-',
        value: settings.MCP_GATE_WRITE_TOKEN ?? '',
      }),
    because: /it answers 200/,
  },
  'endpoint.write-tool-renamed': {
    make: rewrite('set_device_note => set_device_memo', 'visible'),
    because: /is not listed/,
  },
  'operator.hub-not-alive': { make: hubWithout('/healthz'), because: /it answers 503/ },
  'operator.hub-not-ready': { make: hubWithout('/readyz'), because: /it answers 503/ },
  'operator.hub-routers-unreadable': { make: hubWithout('/api/routers'), because: /the hub answers 503/ },
  'operator.no-audit-store': {
    make(stage) {
      const file = path.join(stage.folder, 'other.db');
      writeFileSync(file, 'no database at all, but long enough to look like one '.repeat(100));
      stage.set({ MCP_GATE_AUDIT_DB_PATH: file });
    },
    because: /SQLITE_NOTADB|integrity check/,
  },
};
