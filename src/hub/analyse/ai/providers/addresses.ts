// Where the services are: official addresses, which only a test or the demo replaces.
import type { AiUrls } from '../../../base/settings/ai-urls.ts';

/** `urls` replaces all of them; `region` is of AWS Bedrock. */
export function getServiceUrl(service: keyof AiUrls, urls: AiUrls | undefined, region = ''): string {
  return urls?.[service] ?? official[service](region);
}

const official: Readonly<Record<keyof AiUrls, (region: string) => string>> = {
  cloud_a: () => 'https://api.anthropic.com',
  cloud_b: () => 'https://api.openai.com',
  cloud_c_runtime: (region) => `https://bedrock-runtime.${region}.amazonaws.com`,
  cloud_c_control: (region) => `https://bedrock.${region}.amazonaws.com`,
};
