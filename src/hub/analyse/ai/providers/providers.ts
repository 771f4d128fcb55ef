// All providers.
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { AiUrls } from '../../../base/settings/ai-urls.ts';
import { createClients } from './bedrock/clients.ts';
import { createBedrockLists } from './bedrock/lists.ts';
import { createCloudA } from './cloud-a.ts';
import { createCloudB } from './cloud-b.ts';
import { createCloudC } from './cloud-c.ts';
import { createLocal } from './local.ts';

/** Opens nothing. `urls` replaces the official addresses. */
export function createProviders({ clock, log }: { clock: Clock; log: Log }, urls: AiUrls | undefined) {
  const clients = createClients(urls);
  const bedrock = createBedrockLists(clock, log, clients);
  const local = createLocal(clock);
  return {
    providers: {
      local,
      cloud_a: createCloudA(clock, urls),
      cloud_b: createCloudB(clock, urls),
      cloud_c: createCloudC({ urls, clients, lists: bedrock, now: clock.now }),
    },
    bedrock,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}
