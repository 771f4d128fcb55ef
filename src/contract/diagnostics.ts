// The document that people send when they ask for help: the state of the hub, and checks with advice (docs/decisions/057-doctor.md).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { messageFacts } from './facts.ts';

/** `settings` and `port` are checked by the command alone. */
export const checkCodes = [
  'port',
  'settings',
  'database',
  'clock',
  'disk',
  'permissions',
  'routers',
  'agents',
  'names',
  'feeds',
  'backups',
  'listener',
] as const;
export type CheckCode = (typeof checkCodes)[number];

/** In the order from good to bad. */
export const checkStates = ['ok', 'unknown', 'advice', 'problem'] as const;
export type CheckState = (typeof checkStates)[number];

export const diagnosticCheck = z.object({
  code: z.enum(checkCodes).describe('What was checked'),
  state: z
    .enum(checkStates)
    .describe(
      'ok; unknown: it could not be checked; advice: it works and should be changed; problem: it does not work',
    ),
  message: z.string().describe('What was found, and where; empty when all is well'),
  messageFacts,
  advice: z.string().describe('What to do; empty when nothing is to be done'),
  adviceFacts: messageFacts.describe('The sentence of advice as a code; empty without one'),
});
export type DiagnosticCheck = z.output<typeof diagnosticCheck>;

const size = z.int().nullable();
const view = z.record(z.string(), z.unknown());

export const diagnostics = z.object({
  version: z.literal(1),
  createdAt: z.int(),
  contains: z.string().describe('What the document holds and does not hold, in English'),
  versions: z.object({
    hub: z.string(),
    commit: z.string().nullable(),
    node: z.string(),
    sqlite: z.string(),
    os: z.string(),
    schema: z.int(),
  }),
  checks: z.array(diagnosticCheck),
  sizes: z
    .object({ databaseBytes: size, walBytes: size, backupBytes: size, freeBytes: size, logBytesPerDay: size })
    .describe('Null where it could not be read'),
  status: view.describe('The answer of GET /api/status'),
  settings: view.describe('Answers of the API by path, none with a secret; null for one that could not be read'),
  coverage: view.nullable().describe('The answer of GET /api/coverage for the last 24 hours'),
  lastErrors: z
    .array(
      z.object({ at: z.int(), level: z.enum(['warn', 'error']), message: z.string(), error: z.string().nullable() }),
    )
    .describe('Warnings and errors of the process since its start, the oldest first, at most 200'),
});
export type Diagnostics = z.output<typeof diagnostics>;

export const diagnosticsRoutes = {
  read: get('/api/diagnostics', can('auth.admin'), {
    summary:
      'What helps to find a fault: versions, settings without secrets, states, last errors, and checks with advice',
    details:
      'The answer is searched for every secret that the hub holds, and for what looks like one, before it is sent. ' +
      'A hit is refused with the path of the member. It names devices and addresses of the network: read it before you publish it.',
    refusals: ['diagnostics_withheld'],
    reply: { 200: diagnostics },
  }),
} as const satisfies RouteTable<Access>;
