// Collector: rotates a service identity with two temporary identities and processes. The new one must work and the
// revoked one must fail; the identity in use is not touched.
import { hubAddress } from '../config.ts';
import { toMembers } from '../json.ts';
import { callTool } from '../mcp-messages.ts';
import { GateError } from '../private-file.ts';
import { createHttp, type Http } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';
import { type McpProcess, mcpEnvHelp, mcpEnvOption, requireMcpEnvFile, startMcpProcess } from './mcp-process.ts';

const lifeMs = 3_600_000;

export const credentialRotation: Collector = {
  name: 'credential-rotation',
  summary: 'two service identities of an hour: move from one to the other, revoke the first, see it refused',
  item: 'credentialRotation',
  options: mcpEnvOption,
  help: mcpEnvHelp,
  async run(context) {
    const { config, ca, signal, transcript } = context;
    const envFile = requireMcpEnvFile(context);
    await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal });
    const old = await createIdentity(http, context, 'gate rotation: old');
    const next = await createIdentity(http, context, 'gate rotation: new');
    transcript.add('created two service identities', 'done');
    try {
      await using before = await startMcpProcess(envFile, context, { MCP_SERVICE_TOKEN: old.token });
      const oldWorks = await toolWorks(http, before, context);
      transcript.add('called a tool with the old identity', oldWorks ? 'it works' : 'it does not work');
      await using after = await startMcpProcess(envFile, context, { MCP_SERVICE_TOKEN: next.token });
      await revoke(http, context, old.id);
      const nextWorks = await toolWorks(http, after, context);
      transcript.add('revoked the old one, called with the new one', nextWorks ? 'it works' : 'it does not work');
      const oldStillWorks = await toolWorks(http, before, context);
      transcript.add('called with the revoked one', oldStillWorks ? 'it works' : 'it does not work');
      return {
        fields: {},
        objections: [
          ...(oldWorks ? [] : ['the first identity did not work']),
          ...(nextWorks ? [] : ['the new identity did not work']),
          ...(oldStillWorks ? ['the revoked identity still works'] : []),
        ],
      };
    } finally {
      await revoke(http, context, next.id);
      await revoke(http, context, old.id);
    }
  },
};

interface Identity {
  id: string;
  token: string;
}

async function createIdentity(http: Http, context: CollectContext, label: string): Promise<Identity> {
  const { status, json } = await http.ask('identity', identities(context), {
    method: 'POST',
    headers: admin(context),
    body: { label, permissions: ['network.read', 'notes.write'], expiresInMs: lifeMs },
  });
  const answer = toMembers(json);
  const { id } = toMembers(answer.identity);
  if (status !== 201 || typeof answer.token !== 'string' || typeof id !== 'string') {
    throw new GateError(
      `the hub did not create an identity (${status}): MCP_GATE_MONITOR_TOKEN must be the admin token`,
    );
  }
  return { id, token: answer.token };
}

/** Revokes an identity; repeating it is no error. */
async function revoke(http: Http, context: CollectContext, id: string): Promise<void> {
  const { status } = await http.ask('revoke', new URL(`${identities(context).href}/${id}/revoke`), {
    method: 'POST',
    headers: admin(context),
    body: {},
  });
  if (status >= 500) {
    throw new GateError(`the hub did not revoke the identity ${id} (${status}): revoke it by hand`);
  }
}

/** Whether a read tool succeeds; false for a refusal or a failed tool. */
async function toolWorks(http: Http, { url }: McpProcess, { config }: CollectContext): Promise<boolean> {
  const { status, json } = await http.ask('rotate', url, {
    ...callTool('get_devices', {}),
    token: config.MCP_GATE_READ_TOKEN,
  });
  const { isError, content } = toMembers(toMembers(json).result);
  return status === 200 && Array.isArray(content) && isError !== true;
}

function identities({ config }: CollectContext): URL {
  return hubAddress(config, 'api/auth/api-identities');
}

function admin({ config }: CollectContext): Record<string, string> {
  return { 'x-admin-token': config.MCP_GATE_MONITOR_TOKEN };
}
