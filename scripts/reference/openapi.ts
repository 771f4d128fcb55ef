// The API as an OpenAPI document: its routes, its groups, its credentials.
import { type Access, accessText } from '#contract/access.ts';
import { credentialHelp } from '#contract/front.ts';
import { api, groupDescriptions } from '#contract/index.ts';
import { describeOpenApi } from '#kernel/http/describe.ts';
import { examples } from './examples.ts';
import { makeExample } from './make-example.ts';
import { findMember } from './members.ts';
import { listRefusals } from './refusals.ts';

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

/** docs/openapi.json, which a hub of this version serves as `/api/openapi.json`. */
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
    makeExample: (schema, isRequest) => makeExample(schema, findMember, isRequest),
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
