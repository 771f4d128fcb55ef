// Four simulated AI providers on one loopback port (OpenAI-compatible, Anthropic, OpenAI, Bedrock), and their control surface.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { createRequestFaults } from '../support/per-request-faults.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { anthropic } from './anthropic.ts';
import { bedrockControl } from './bedrock-control.ts';
import { bedrockRuntime } from './bedrock-runtime.ts';
import type { AiControl } from './control.ts';
import { type AiFault, aiFaults, requireFaultOptions, type TakeFault } from './faults.ts';
import { createHolding } from './holding.ts';
import { answerFault } from './misbehaviour.ts';
import { openAi } from './openai.ts';
import { openAiCompatible } from './openai-compatible.ts';
import type { ProviderApi } from './provider.ts';
import { type AiRequest, readRequest } from './received.ts';
import { asJson, deliver, findUsage, type Reply, spoilReply } from './reply.ts';
import { type AiKeys, type AiSettings, changeSettings, createSettings, type SettingsChange } from './settings.ts';
import { type Surface, surfaces } from './surfaces.ts';

export interface AiOptions extends SimulatorOptions {
  /** Part of the settings at the start, as `patch` takes it. */
  settings?: SettingsChange;
  /** What the time of AWS signatures is compared with: the wall clock when absent, because the official client signs by that. */
  signatureClock?: Clock;
}

export interface AiSimulator extends AiControl, Simulator {
  /** Base URLs without a slash at their end: `http://127.0.0.1:4030/cloud_a`; the path of the provider follows. */
  readonly urls: Readonly<Record<Surface, string>>;
  /** Those that are valid now; `accessKeyId` and `secretAccessKey` are of cloud_c, `local` has none. */
  readonly keys: Readonly<AiKeys>;
  readonly region: string;
}

const providerApis: Readonly<Record<Surface, ProviderApi>> = {
  local: openAiCompatible,
  cloud_a: anthropic,
  cloud_b: openAi,
  cloud_c_runtime: bedrockRuntime,
  cloud_c_control: bedrockControl,
};

const mostRequests = 1000;

/** Starts four AI providers; `urls` has the address of each, and `keys` what it accepts. Rejects for invalid settings. */
export async function startAi(options: AiOptions = {}): Promise<AiSimulator> {
  const first = changeSettings(createSettings(), options.settings ?? {});
  let settings: AiSettings = first;
  const base = createSimulatorBase<AiFault>(options, {
    faults: aiFaults,
    secrets: () => Object.values(settings.keys),
    requireOptions: requireFaultOptions,
  });
  const exchange = createExchange(base, () => settings, options.signatureClock ?? systemClock);
  const { holding } = exchange;
  const server = createServer(base.listener(exchange.serve));
  const url = new URL(`http://${await base.listen(server)}`);
  const names = Object.keys(surfaces) as Surface[];
  const urls = Object.fromEntries(names.map((name) => [name, `${url.origin}/${name}`])) as Record<Surface, string>;

  const control: AiControl = {
    ...base.control,
    get settings() {
      return settings;
    },
    requests: () => exchange.requests,
    held: (least = 1) => holding.waitForHeld(least),
    release: holding.release,
    clearJournal() {
      base.control.clearJournal();
      exchange.requests.length = 0;
    },
    clearFaults() {
      base.control.clearFaults();
      holding.release();
    },
    reset() {
      control.clearFaults();
      settings = first;
      control.clearJournal();
    },
    state: () => {
      const { keys: _keys, ...shown } = settings;
      const { count: requests } = exchange;
      return { url: url.origin, urls, ...shown, requests, held: holding.count(), faults: base.faults.list() };
    },
    patch(change) {
      settings = changeSettings(settings, change);
    },
  };
  return toRunning(control, {
    url,
    urls,
    get keys() {
      return settings.keys;
    },
    get region() {
      return settings.region;
    },
    async [Symbol.asyncDispose]() {
      holding.release();
      await base.close(server);
    },
  });
}

/** Takes requests, and answers them as the provider or as a fault wants it. */
function createExchange(base: SimulatorBase<AiFault>, settings: () => AiSettings, signatureClock: Clock) {
  const { clock, faults, journal } = base;
  const requestFaults = createRequestFaults(faults);
  const holding = createHolding();
  const requests: AiRequest[] = [];
  let count = 0;

  /** The answer of a provider; null when the fault `no-answer` is armed, or the client has gone. */
  const reply = async (request: AiRequest, take: TakeFault, gone: AbortSignal): Promise<Reply | null> => {
    const slow = take('slow');
    if (slow) {
      const over = AbortSignal.any([gone, base.stopped]);
      await clock.sleep(Number(slow.value ?? 5000), over).catch(() => undefined);
    }
    if (take('hold')) {
      await holding.hold(gone);
    }
    if (gone.aborted) {
      journal.add('gone', { number: request.number });
      return null;
    }
    if (take('no-answer')) {
      return null;
    }
    const api = providerApis[request.surface];
    const times = { now: clock.now(), signatureNow: signatureClock.now() };
    const exchange = { request, settings: settings(), takeFault: take, ...times };
    return spoilReply(answerFault(api, request, take) ?? api.answer(exchange), take);
  };

  return {
    holding,
    /** The newest requests, oldest first. */
    requests,
    get count() {
      return count;
    },
    async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      count += 1;
      const number = count;
      const request = await readRequest(incoming, number, clock.now());
      if (request === null) {
        journal.add('request', { number, path: incoming.url, status: 404 });
        const nowhere = asJson({ error: 'there is no provider at this address' }, 404);
        await deliver(response, nowhere, { take: () => null, hold: base.hold });
        return;
      }
      requests.push(request);
      requests.splice(0, requests.length - mostRequests);
      const { provider, method, fullPath, query, body } = request;
      journal.add('request', { number, provider, method, path: fullPath, query, bytes: Buffer.byteLength(body) });
      const take: TakeFault = (fault) => requestFaults.take(request, fault, fullPath);
      const answer = await reply(request, take, gone.signal);
      if (answer === null) {
        if (!gone.signal.aborted) {
          base.hold(response);
        }
        return;
      }
      const { status } = answer;
      journal.add('answer', { number, status, body: answer.body.slice(0, 200), usage: findUsage(answer) });
      await deliver(response, answer, { take, hold: base.hold });
    },
  };
}
