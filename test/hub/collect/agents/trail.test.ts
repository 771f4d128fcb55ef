// What decisions about Agents leave in the audit trail, and whom a refusal counts against.
import { expect, test } from 'vitest';
import type { AuditEntry } from '#hub/base/auth/audit.ts';
import { enrolmentHandlers } from '#hub/collect/agents/enrolment-handlers.ts';
import { agentHandlers } from '#hub/collect/agents/handlers.ts';
import { createThrottle } from '#hub/collect/agents/throttle.ts';
import { createTransport } from '#hub/collect/agents/transport.ts';
import { type AgentRegistryLab, openAgentRegistry } from '../../../support/agent-registry.ts';
import { agentFacts } from '../../../support/agents.ts';

const request = { address: '127.0.0.1', headers: {}, isSecure: true };
const unknownId = '00000000-0000-4000-8000-000000000000';
const byCode = { method: 'enrollment-code', actor: null, credential: null };
const admin = { who: 'admin' };

/** The answer of each handler as it reaches HTTP: a value, or the code of the refusal with its extra members. */
function openHandlers({ clock, registry, enrolment, settings }: AgentRegistryLab) {
  const rows: AuditEntry[] = [];
  const note = (entry: AuditEntry) => void rows.push(entry);
  const auth = { audit: { note, record: async (entry: AuditEntry) => note(entry) }, toActor: (who: unknown) => who };
  const transport = createTransport({ settings, options: { host: '0.0.0.0' } } as never, auth as never);
  const options = { clock, registry, enrolment, transport, auth, throttle: createThrottle(clock) };
  const handlers = { ...agentHandlers(options as never), ...enrolmentHandlers(options as never) };
  return {
    rows,
    async call(route: keyof typeof handlers, more: object = {}): Promise<unknown> {
      const handle = handlers[route] as (call: unknown) => unknown;
      try {
        return await handle({ principal: admin, request, body: {}, ...more });
      } catch (error) {
        const { code, details } = error as { code: string; details: object };
        return { code, ...details };
      }
    },
  };
}

test('each decision about an Agent leaves one row with its outcome, its subject and who took it', async () => {
  await using lab = await openAgentRegistry();
  const { rows, call } = openHandlers(lab);
  const left = () =>
    rows.splice(0).map(({ type, outcome, by, metadata, ...rest }) => {
      expect(rest).toEqual({ request });
      return [type.replace('agent_', ''), outcome, by, metadata];
    });
  const apply = async () => {
    const { code, expiresAt } = (await call('createCode')) as { code: string; expiresAt: number };
    expect(left()).toEqual([['enrollment_created', 'success', admin, { expiresAt }]]);
    const applied = (await call('enroll', { body: { code, agent: agentFacts } })) as Record<string, string>;
    expect(applied).toMatchObject({ status: 'pending', expiresAt: lab.clock.now() + 600_000 });
    const { requestId = '', claimSecret = '' } = applied;
    expect(left()).toEqual([['enrollment_requested', 'success', byCode, { request: requestId }]]);
    return { params: { requestId }, body: { requestId, claimSecret } };
  };
  const enrol = async (replaceExisting?: boolean) => {
    const applied = await apply();
    expect(await call('claim', applied)).toEqual({ status: 'pending' });
    const approved = await call('approve', { ...applied, body: { replaceExisting } });
    const { agentId } = (approved as { agent: { agentId: string } }).agent;
    const [row] = left();
    const claimed = (await call('claim', applied)) as { body: { token: string } };
    expect(claimed).toMatchObject({ status: 201, body: { status: 'approved', agentId } });
    expect(left()).toEqual([['enrolled', 'success', byCode, { agent: agentId }]]);
    expect(await call('claim', applied)).toEqual({ status: 'collected' });
    return { row, agentId, applied, found: lab.registry.find(claimed.body.token) };
  };

  expect(await call('enroll', { body: { code: '------', agent: agentFacts } })).toEqual({
    code: 'enrollment_code_refused',
  });
  expect(left()).toEqual([['enrollment_requested', 'failure', byCode, { reason: 'enrollment_code_refused' }]]);
  expect(await call('claim', { body: { requestId: unknownId, claimSecret: 'svcc_' } })).toEqual({
    ...{ code: 'not_found', status: 'unknown' },
  });

  const one = await enrol();
  const of = (agentId: string, { params }: typeof one.applied, replaced: string[]) => [
    ...['enrollment_approved', 'success', admin, { request: params.requestId, agent: agentId, replaced }],
  ];
  expect(one.row).toEqual(of(one.agentId, one.applied, []));
  const other = await enrol(true);
  expect(other.row).toEqual(of(other.agentId, other.applied, [one.agentId]));
  expect([await call('approve', other.applied), left()]).toEqual([
    { code: 'not_found' },
    [['enrollment_approved', 'failure', admin, { request: other.applied.params.requestId }]],
  ]);

  const rejected = await apply();
  const { requestId } = rejected.params;
  expect([await call('reject', rejected), await call('reject', rejected), left()]).toEqual([
    { rejected: true },
    { code: 'not_found', rejected: false },
    ['success', 'failure'].map((outcome) => ['enrollment_rejected', outcome, admin, { request: requestId }]),
  ]);

  const agent = { who: 'agent', ...other.found };
  const rotated = [await call('rotate', { principal: agent }), await call('rotate', { principal: agent }), left()];
  expect(rotated).toEqual([
    { token: expect.stringMatching(/^svca_/) },
    { code: 'unauthorized' },
    ['success', 'failure'].map((outcome) => ['token_rotated', outcome, agent, undefined]),
  ]);
  const self = [await call('revokeSelf', { principal: agent }), await call('revokeSelf', { principal: agent }), left()];
  expect(self).toEqual([
    { success: true },
    { code: 'agent_revoked' },
    ['success', 'failure'].map((outcome) => ['self_revoked', outcome, agent, undefined]),
  ]);
  const third = await enrol();
  const params = { agentId: third.agentId.toUpperCase() };
  expect([await call('revoke', { params }), await call('revoke', { params }), left()]).toEqual([
    { success: true },
    { code: 'not_found' },
    ['success', 'failure'].map((outcome) => ['revoked', outcome, admin, { agent: params.agentId }]),
  ]);

  const saved = await call('saveTransport', { body: { allowPlaintext: true } });
  expect([saved, left()]).toEqual([
    { transport: 'https', secure: true, consentRequired: false, accepted: true, risks: [] },
    [['transport_consent', 'success', admin, { allowPlaintext: true }]],
  ]);
  expect(lab.settings.current().agents).toMatchObject({ allowPlaintext: true, pepper: expect.stringMatching(/./) });
});

test('wrong codes count against an address, a full list of requests does not', async () => {
  await using lab = await openAgentRegistry();
  const { rows, call } = openHandlers(lab);
  for (let waiting = 1; waiting <= 20; waiting += 1) {
    await lab.apply();
  }
  const { code } = await lab.enrolment.createCode();
  const enroll = (tried: string) => call('enroll', { body: { code: tried, agent: agentFacts } });
  for (let time = 1; time <= 6; time += 1) {
    expect(await enroll(code)).toEqual({ code: 'enrollment_requests_full' });
  }
  expect(rows).toEqual([]);
  for (let time = 1; time <= 5; time += 1) {
    expect(await enroll('------')).toEqual({ code: 'enrollment_code_refused' });
  }
  expect([await enroll(code), rows.length]).toEqual([{ code: 'enrollment_throttled' }, 5]);
});
