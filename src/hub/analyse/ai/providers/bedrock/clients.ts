// The clients of AWS Bedrock, made for one use. They are loaded with the first one: most hubs never need them.
// Credentials come from the default chain of AWS and are not stored; addresses come from here alone.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { BedrockClient } from '@aws-sdk/client-bedrock';
import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { limits } from '#contract/limits.ts';
import { boundedChunks } from '#kernel/http/bounded-fetch.ts';
import { agentWithStartNotice } from '#kernel/http/start-notice.ts';
import type { AiUrls } from '../../../../base/settings/ai-urls.ts';
import { getServiceUrl } from '../addresses.ts';
import { isJson, toNotJsonFault, tooLongFault, toRedirectFault } from '../answer-faults.ts';
import type { ProviderFault } from '../failure.ts';

/** An answer that is larger than 1 MB, no JSON, or a redirect. The client of AWS adds to messages, not to `fault`. */
export class UnreadableAnswer extends Error {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault) {
    super(fault.what);
    this.fault = fault;
  }
}

export type Use<C, T> = (client: C) => Promise<T>;

interface Watch {
  /** Called when a connection is there, to which the request is then written. */
  onSent: () => void;
  /** Called with the status when the head of the answer is there. */
  onStatus: (status: number) => void;
}

export interface Clients {
  /** Ends the client when `use` is over, and its connections as soon as `signal` is aborted. */
  runtime<T>(
    region: string,
    { signal, onSent, onStatus }: Watch & { signal: AbortSignal },
    use: Use<BedrockRuntimeClient, T>,
  ): Promise<T>;
  /** As `runtime`. */
  control<T>(region: string, signal: AbortSignal, use: Use<BedrockClient, T>): Promise<T>;
}

export function createClients(urls: AiUrls | undefined): Clients {
  return {
    async runtime(region, { signal, ...watch }, use) {
      const { BedrockRuntimeClient } = await import('@aws-sdk/client-bedrock-runtime');
      const endpoint = getServiceUrl('cloud_c_runtime', urls, region);
      return useClient(
        new BedrockRuntimeClient({ ...(await createClientOptions(region, watch)), endpoint }),
        signal,
        use,
      );
    },
    async control(region, signal, use) {
      const { BedrockClient } = await import('@aws-sdk/client-bedrock');
      const endpoint = getServiceUrl('cloud_c_control', urls, region);
      return useClient(new BedrockClient({ ...(await createClientOptions(region, unwatched)), endpoint }), signal, use);
    },
  };
}

const unwatched: Watch = { onSent: () => {}, onStatus: () => {} };

/** `endpoint` is fixed: no variable and no file of AWS sends a request elsewhere. */
async function createClientOptions(region: string, watch: Watch) {
  const requestHandler = await createBoundedHandler(watch);
  return { region, maxAttempts: 1, useFipsEndpoint: false, useDualstackEndpoint: false, requestHandler };
}

async function useClient<C extends { destroy(): void }, T>(client: C, signal: AbortSignal, use: Use<C, T>): Promise<T> {
  const end = () => client.destroy();
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', end, { once: true });
    return await use(client);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** HTTP/1.1, as the other providers are asked. */
async function createBoundedHandler({ onSent, onStatus }: Watch) {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  return new (class extends NodeHttpHandler {
    override async handle(...given: Parameters<InstanceType<typeof NodeHttpHandler>['handle']>) {
      const answered = await super.handle(...given);
      const { response } = answered;
      onStatus(response.statusCode);
      const type = response.headers['content-type'] ?? '';
      const { statusCode: status } = response;
      if (status >= 300 && status < 400) {
        throw new UnreadableAnswer(toRedirectFault(status));
      }
      if (status < 300 && !isJson(type)) {
        throw new UnreadableAnswer(toNotJsonFault(status, type));
      }
      const tooLong = () => new UnreadableAnswer(tooLongFault);
      response.body = Readable.from(boundedChunks(response.body, limits.aiAnswerBytes, tooLong));
      return answered;
    }
  })({
    httpAgent: agentWithStartNotice(new http.Agent({ keepAlive: true }), onSent),
    httpsAgent: agentWithStartNotice(new https.Agent({ keepAlive: true }), onSent),
  });
}
