// Simulates a chat workspace: the part of Slack's web API that the hub uses, over HTTP on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createToken } from '#kernel/text/secret.ts';
import { parseChange } from '../support/change.ts';
import { answerFirst } from '../support/fault-answers.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { type Call, readCall } from './call.ts';
import { type ChatFault, chatFaults, requireFaultOptions } from './faults.ts';
import { type ChatMessage, methods, refuse, resolveChannel, type Workspace } from './methods.ts';
import { asJson, faultAnswers, type Reply, rateLimited, send, tokenRefusal } from './replies.ts';
import { botScopes, type ChatSettings, createSettings, type IssuedToken, settingsSchema } from './settings.ts';

export interface ChatControl extends Control<ChatFault> {
  readonly settings: Readonly<ChatSettings>;
  readonly messages: readonly ChatMessage[];
  /** Returns a new token with these scopes, or without any given, those that a bot needs. */
  issueToken(scopes?: readonly string[]): string;
}

export interface ChatOptions extends SimulatorOptions {
  settings?: Partial<ChatSettings>;
}

export interface ChatSimulator extends ChatControl, Simulator {
  readonly credentials: { readonly token: string; readonly userId: string };
}

type Base = SimulatorBase<ChatFault>;

/** Starts a chat workspace; `url` is its web API, like `http://127.0.0.1:4020/api/`, and `messages` has what was posted. */
export async function startChat(options: ChatOptions = {}): Promise<ChatSimulator> {
  const first: ChatSettings = { ...createSettings(createToken('xoxb-sim-', 16)), ...options.settings };
  const base: Base = createSimulatorBase(options, {
    faults: chatFaults,
    secrets: () => workspace.settings.tokens.map(({ token }) => token),
    requireOptions: requireFaultOptions,
  });
  const { faults, journal } = base;
  const workspace: Workspace = { settings: { ...first }, messages: [], directChannels: new Map(), now: base.clock.now };
  const exchange = createExchange(base, workspace);
  const server = createServer(base.listener(exchange.serve));
  const url = new URL(`http://${await base.listen(server)}/api/`);

  const control: ChatControl = {
    ...base.control,
    get settings() {
      return workspace.settings;
    },
    messages: workspace.messages,
    clearFaults() {
      base.control.clearFaults();
      exchange.answerLate();
    },
    reset() {
      control.clearFaults();
      workspace.settings = { ...first };
      workspace.messages.length = 0;
      workspace.directChannels.clear();
      journal.clear();
    },
    state: () => {
      const { tokens, ...shown } = workspace.settings;
      return {
        url: url.href,
        ...shown,
        tokens: tokens.map(({ scopes, state }) => ({ scopes, state })),
        messages: workspace.messages.map((message) => ({ ...message })),
        calls: exchange.count,
        faults: faults.list(),
      };
    },
    patch(change) {
      workspace.settings = parseChange(settingsSchema, { ...workspace.settings, ...change });
    },
    issueToken(scopes = botScopes) {
      const token = createToken('xoxb-sim-', 16);
      const issued: IssuedToken = { token, scopes: [...scopes], state: 'active' };
      workspace.settings = { ...workspace.settings, tokens: [...workspace.settings.tokens, issued] };
      return token;
    },
  };
  return toRunning(control, {
    url,
    get credentials() {
      const { tokens, members } = workspace.settings;
      return { token: tokens[0]?.token ?? '', userId: members[0]?.id ?? '' };
    },
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

/** Takes calls, and answers them as the web API or as a fault wants it. */
function createExchange(base: Base, workspace: Workspace) {
  const { faults, journal } = base;
  const requestFaults = createRequestFaults(faults);
  const late = new Set<() => void>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    /** Carries out and answers the calls that the fault `late-answer` holds. */
    answerLate() {
      for (const resume of late) {
        resume();
      }
      late.clear();
    },
    async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
      count += 1;
      const call = await readCall(request, count);
      if (call === null) {
        send(response, asJson(refuse('invalid_form_data')));
        return;
      }
      const { number, method, contentType } = call;
      const { token: _token, ...shown } = call.args;
      journal.add('call', { number, method, contentType, args: JSON.stringify(shown) });
      const take = (fault: ChatFault) => requestFaults.take(call, fault, method);
      if (take('late-answer')) {
        await new Promise<void>((resolve) => late.add(resolve));
      }
      if (take('no-answer')) {
        base.hold(response);
        return;
      }
      if (take('cut-connection')) {
        response.destroy();
        return;
      }
      const reply = answerFirst(faultAnswers, take) ?? carryOut(call, workspace, base);
      journal.add('answer', { number, status: reply.status, body: reply.body.slice(0, 200) });
      // Unlike `cut-connection`, this fault has carried out the call.
      if (take('lost-answer')) {
        response.destroy();
      } else if (take('malformed-json')) {
        send(response, { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) });
      } else {
        send(response, reply);
      }
    },
  };
}

function carryOut(call: Call, workspace: Workspace, { journal }: Base): Reply {
  const by = workspace.settings.tokens.find(({ token }) => token === call.token);
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (!method) {
    return asJson(refuse('unknown_method', { req_method: call.method }));
  }
  const refusal = call.token === null ? 'not_authed' : by ? tokenRefusal(by) : 'invalid_auth';
  if (!by || refusal !== null) {
    return asJson(refuse(refusal ?? 'invalid_auth'));
  }
  const headers = { 'x-oauth-scopes': by.scopes.join(','), 'x-accepted-oauth-scopes': method.scope ?? '' };
  if (method.scope !== null && !by.scopes.includes(method.scope)) {
    return asJson(refuse('missing_scope', { needed: method.scope, provided: by.scopes.join(',') }), headers);
  }
  if (call.method === 'chat.postMessage' && isTooSoon(workspace, call.args.channel ?? '')) {
    return rateLimited(1);
  }
  const before = workspace.messages.length;
  const answer = method.run(workspace, call.args, by);
  const message = workspace.messages[before];
  if (message) {
    journal.add('message', { ...message });
  }
  return asJson(answer, headers);
}

/** Whether the channel got its last message less than `channelPaceMs` ago. */
function isTooSoon(workspace: Workspace, asked: string): boolean {
  const channel = resolveChannel(workspace, asked);
  const last = workspace.messages.findLast((one) => one.channel === channel);
  return last !== undefined && workspace.now() - last.at < workspace.settings.channelPaceMs;
}
