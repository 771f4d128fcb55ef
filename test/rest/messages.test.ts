// What a person is told when something is refused: what happened, where, and what would be right.
import { expect, test } from 'vitest';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../support/lab.ts';
import { passTimeUntil } from '../support/mcp-lab.ts';

test('input that is refused is told in words, with what is known and what is accepted', async () => {
  await using lab = await startLab();
  const json = { 'content-type': 'application/json' };
  const post = async (path: string, body: string) => {
    const answer = await lab.as.raw({ method: 'POST', path, headers: json, body });
    return { status: answer.status, ...(answer.body as { code: string; error: string }) };
  };
  const refused = (code: string, error: unknown) => expect.objectContaining({ status: 400, code, error });
  const router = { ip: '192.168.1.1', user: 'u', pass: 'p' };
  expect(await post('/api/routers', JSON.stringify(router))).toEqual(
    refused('invalid_body', 'kind is missing: vendor_a or vendor_b'),
  );
  expect(await post('/api/routers', JSON.stringify({ ...router, kind: 'vendor_a', user: 'u'.repeat(256) }))).toEqual(
    refused('invalid_body', 'user must have at most 255 characters'),
  );
  for (const name of ['__proto__', 'constructor']) {
    expect(await post('/api/routers', `{"${name}":{"prototype":{}}}`)).toEqual(
      refused('invalid_body', `a member of the body is called ${name}, which is not accepted`),
    );
  }
  expect(await post('/api/routers', '{"a":')).toEqual(refused('malformed_json', 'the body is not valid JSON'));
  const unknown = await lab.as.raw({ method: 'GET', path: '/api/devices?archived=1' });
  expect(unknown.body).toMatchObject({
    code: 'invalid_query',
    error: 'archived is not known here; known: includeArchived, sourceKind, sourceId',
  });
  const none = await lab.as.raw({ method: 'GET', path: '/api/status?x=1' });
  expect(none.body).toMatchObject({ code: 'invalid_query', error: 'x is not known here; nothing is' });
});

test('a credential that may not do something is told what it lacks', async () => {
  await using lab = await startLab();
  const self = lab.as.admin.auth.self({});
  await expect(self).rejects.toMatchObject({
    ...{ status: 403, message: 'this is for API identities alone: send the token of one (svc_…) in X-Admin-Token' },
  });
  const { client } = await lab.as.identity(['network.read']);
  await expect(client.config.general({})).rejects.toMatchObject({
    ...{ status: 403, message: 'this credential does not hold the permission settings.write, which this path needs' },
  });
});

test('detection tells a kind by its name, a table that cannot be read, and a port that is silent', async () => {
  await using lab = await startLab();
  const { routers } = lab.as.admin;
  await using a = await startRouter('vendor_a', { clock: lab.clock });
  await using b = await startRouter('vendor_b', { clock: lab.clock });
  const asB = { ...recordOf(a, 'x'), kind: 'vendor_b' as const, nat: undefined };
  await expect(routers.detect({ body: asB })).rejects.toMatchObject({
    ...{ status: 502, message: expect.stringContaining('This looks like a Yamaha RTX router') },
  });
  const asA = { ...recordOf(b, 'x'), kind: 'vendor_a' as const, enablePass: null };
  await expect(routers.detect({ body: asA })).rejects.toMatchObject({
    ...{ status: 502, message: expect.stringContaining('This does not look like a Yamaha RTX router') },
  });
  await expect(routers.detect({ body: recordOf(b, 'x', { enablePass: null }) })).rejects.toMatchObject({
    status: 502,
    message: 'The NAT table cannot be read by this user: enter the enable secret.',
    body: {
      ...{ success: false, code: 'router_detect_failed' },
      diag: { ssh: { ok: true }, failure: 'privilege', privilegeError: true, isExpectedOs: true },
    },
  });
  a.fail('hang');
  const silent = passTimeUntil({ lab }, 1000, routers.detect({ body: recordOf(a, 'x') }));
  await expect(silent).rejects.toMatchObject({
    message: expect.stringMatching(/ accepted the connection but sent no SSH greeting within \d+ s\. /),
    body: { diag: { ssh: { ok: false, code: 'shellTimeout' }, failure: 'silent_port' } },
  });
});
