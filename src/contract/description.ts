// What the OpenAPI document says besides the routes: the API, its groups, its credentials.
import { type Access, accessText } from './access.ts';
import { credentialHelp } from './front.ts';
import type { api } from './index.ts';

const tags: Readonly<Record<keyof typeof api, string>> = {
  front: 'What somebody finds who opens the address of the hub',
  auth: 'Login, sessions, API identities, the issuer for single sign-on, and the audit trail',
  routers: 'The routers that are read, and how their reading goes',
  connections: 'The log of connections: list, summary, threats, export',
  detection: 'What was detected, and who is told',
  beacons: 'Contacts that repeat at regular intervals',
  chat: 'The chat workspace that alerts go to',
  config: 'General settings, followed logs, look-ups beyond the hub',
  threat: 'Threat feeds, their settings, and manual look-ups at reputation services',
  devices: 'The devices of the network, and which of them are one',
  notes: 'Notes that people write about devices',
  mesh: 'The wireless network, as its access point tells it',
  events: 'Live updates',
  health: 'Health of the process',
  status: 'The hub about itself',
};

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
} as const;

/** For `describeOpenApi`, of a hub of this version. */
export function apiDescription(version: string) {
  return {
    title: 'Gatehouse hub',
    version,
    description:
      'Knows where the data of a home or small-office network goes. Instants are epoch milliseconds. Every refusal is JSON ' +
      'with error (a sentence), code (stable) and requestId; 429 and 503 say in Retry-After when to come again.',
    accessText,
    tags,
    securitySchemes,
    schemesFor,
  };
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
      throw new Error('the credential of Agents has no security scheme yet');
  }
}
