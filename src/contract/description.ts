// The API as an OpenAPI document: its routes, its groups, its credentials.
import { describeOpenApi } from '#kernel/http/describe.ts';
import { type Access, accessText } from './access.ts';
import { credentialHelp } from './front.ts';
import { api, groupDescriptions } from './index.ts';
import { examples } from './reference/examples.ts';
import { findMember } from './reference/members.ts';
import { listRefusals } from './reference/refusals.ts';

const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Token',
    description: `${credentialHelp}.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'monitor_session',
    description:
      'What POST /api/auth/login sets, __Host-monitor_session over TLS at the root. A change also needs the header ' +
      'X-CSRF-Token with the value of the cookie monitor_csrf.',
  },
  agent: {
    type: 'http',
    scheme: 'bearer',
    description: 'The bearer of an Agent (svca_…), which it collected once when it was approved.',
  },
} as const;

/** The document of `/api/openapi.json` and of docs/openapi.json, of a hub of this version. */
export function openApi(version: string): Record<string, unknown> {
  return describeOpenApi(api, {
    title: 'Gatehouse hub',
    version,
    description:
      'Knows where the data of a home or small-office network goes. Instants are epoch milliseconds. Every refusal is JSON ' +
      'with error (a sentence), code (stable) and requestId; 429 and 503 say in Retry-After when to come again.',
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    // Relative to the document, so that it is right below any path of a proxy.
    servers: [{ url: '..', description: 'The hub that serves this document' }],
    accessText,
    findMember,
    examples,
    listRefusals,
    tags: groupDescriptions,
    securitySchemes,
    schemesFor,
  });
}

function schemesFor({ who }: Access): readonly (keyof typeof securitySchemes)[] {
  switch (who) {
    case 'open':
      return [];
    case 'identity':
      return ['token'];
    case 'signed-in':
    case 'can':
      return ['token', 'session'];
    case 'agent':
      return ['agent'];
  }
}
