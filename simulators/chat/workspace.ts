// One simulated chat workspace: the web API over HTTP on loopback as its official client speaks it, and its control surface.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createToken } from '#kernel/text/secret.ts';
import { createHttpSimulator } from '../support/http-simulator.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { type Call, readCall } from './call.ts';
import { type ChatFault, requireFaultOptions } from './faults.ts';
import { type ChatMessage, channelOf, methods, refuse, type Workspace } from './methods.ts';
import { answerOfFault, asJson, limited, type Reply, refusalOf, send } from './replies.ts';
import { botScopes, type ChatSettings, changedSettings, type IssuedToken, plainSettings } from './settings.ts';

export interface ChatControl extends Control<ChatFault> {
  readonly settings: Readonly<ChatSettings>;
  /** Every message that was taken, oldest first. */
  readonly messages: readonly ChatMessage[];
  /** A new token with these scopes; all that a bot needs when absent. */
  issueToken(scopes?: readonly string[]): string;
}

export interface ChatOptions extends SimulatorOptions {
  settings?: Partial<ChatSettings>;
}

export interface ChatSimulator extends Simulator<ChatControl> {
  readonly credentials: { readonly token: string; readonly userId: string };
}

/** Starts a workspace; `url` is the address of its web API, like `http://127.0.0.1:4020/api/`. */
export async function startChat(options: ChatOptions = {}): Promise<ChatSimulator> {
  const first: ChatSettings = { ...plainSettings(createToken('xoxb-sim-', 16)), ...options.settings };
  const base = createHttpSimulator<ChatFault>(options, {
    secrets: () => workspace.settings.tokens.map(({ token }) => token),
    requireOptions: requireFaultOptions,
  });
  const { clock, faults, journal } = base;
  const workspace: Workspace = { settings: { ...first }, messages: [], direct: new Map(), now: clock.now };
  const requestFaults = createRequestFaults(faults);
  const late = new Set<() => void>();
  let calls = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    calls += 1;
    const call = await readCall(request, calls);
    if (call === null) {
      send(response, asJson(refuse('invalid_form_data')));
      return;
    }
    const { token: _token, ...shown } = call.args;
    const args = JSON.stringify(shown);
    journal.add('call', { number: call.number, method: call.method, contentType: call.contentType, args });
    const take = (fault: ChatFault) => requestFaults.take(call, fault, call.method);
    if (take('late-answer')) {
      await new Promise<void>((resolve) => late.add(resolve));
    }
    if (take('no-answer')) {
      base.hold(response);
    } else if (take('cut-connection')) {
      response.destroy();
    } else {
      const reply = answerOfFault(take) ?? carriedOut(call);
      journal.add('answer', { number: call.number, status: reply.status, body: reply.body.slice(0, 200) });
      if (take('lost-answer')) {
        response.destroy();
      } else if (take('malformed-json')) {
        send(response, { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) });
      } else {
        send(response, reply);
      }
    }
  };
  const carriedOut = (call: Call): Reply => {
    const by = workspace.settings.tokens.find(({ token }) => token === call.token);
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (!method) {
      return asJson(refuse('unknown_method', { req_method: call.method }));
    }
    const refusal = call.token === null ? 'not_authed' : by ? refusalOf(by) : 'invalid_auth';
    if (!by || refusal !== null) {
      return asJson(refuse(refusal ?? 'invalid_auth'));
    }
    const headers = { 'x-oauth-scopes': by.scopes.join(','), 'x-accepted-oauth-scopes': method.scope ?? '' };
    if (method.scope !== null && !by.scopes.includes(method.scope)) {
      return asJson(refuse('missing_scope', { needed: method.scope, provided: by.scopes.join(',') }), headers);
    }
    const isTooSoon = call.method === 'chat.postMessage' && tooSoon(workspace, call.args.channel ?? '');
    if (isTooSoon) {
      return limited(1);
    }
    const before = workspace.messages.length;
    const answer = method.run(workspace, call.args, by);
    const message = workspace.messages[before];
    if (message) {
      journal.add('message', { ...message });
    }
    return asJson(answer, headers);
  };

  const server = createServer(base.listener(serve));
  const url = new URL(`http://${await base.listen(server)}/api/`);

  const control: ChatControl = {
    ...base.control,
    get settings() {
      return workspace.settings;
    },
    messages: workspace.messages,
    clearFaults() {
      base.control.clearFaults();
      for (const answer of late) {
        answer();
      }
      late.clear();
    },
    reset() {
      control.clearFaults();
      workspace.settings = { ...first };
      workspace.messages.length = 0;
      workspace.direct.clear();
      journal.clear();
    },
    state: () => {
      const { tokens, ...shown } = workspace.settings;
      return {
        url: url.href,
        ...shown,
        tokens: tokens.map(({ scopes, state }) => ({ scopes, state })),
        messages: workspace.messages.map((message) => ({ ...message })),
        calls,
        faults: faults.list(),
      };
    },
    patch(change) {
      workspace.settings = changedSettings(workspace.settings, change);
    },
    issueToken(scopes = botScopes) {
      const token = createToken('xoxb-sim-', 16);
      const issued: IssuedToken = { token, scopes: [...scopes], state: 'active' };
      workspace.settings = { ...workspace.settings, tokens: [...workspace.settings.tokens, issued] };
      return token;
    },
  };
  return {
    url,
    control,
    get credentials() {
      const { tokens, members } = workspace.settings;
      return { token: tokens[0]?.token ?? '', userId: members[0]?.id ?? '' };
    },
    [Symbol.asyncDispose]: () => base.close(server),
  };
}

function tooSoon(workspace: Workspace, asked: string): boolean {
  const channel = channelOf(workspace, asked);
  const last = workspace.messages.findLast((one) => one.channel === channel);
  return last !== undefined && workspace.now() - last.at < workspace.settings.channelPaceMs;
}
