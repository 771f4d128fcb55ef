// What is wrong with answers that cannot be read, the same for all providers.
import type { ProviderFault } from './failure.ts';

export function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}

export const tooLongFault: ProviderFault = { code: 'ai_too_long', what: 'answered with more than 1 MB' };

export const brokenJsonFault: ProviderFault = {
  code: 'ai_not_json',
  what: 'answered with something that is no whole JSON',
};

/** `contentType`: empty when the answer has none. */
export function toNotJsonFault(status: number, contentType: string): ProviderFault {
  const [type = ''] = contentType.split(';');
  const what = `answered ${status} with ${type || 'no content type'}, not with JSON`;
  return { code: 'ai_not_json', values: { status, ...(type && { type }) }, what };
}

export function toRedirectFault(status: number): ProviderFault {
  const what = `answered ${status}, a redirect to another address, which the hub does not follow`;
  return { code: 'ai_redirects', values: { status }, what };
}

export function toOverloadedFault(status: number, words: unknown): ProviderFault {
  return { code: 'ai_overloaded', values: { status }, what: `has too much to do (${status})`, words };
}

/** `code`: of the network, which says how the answer broke off. */
export function toCutFault(code: string): ProviderFault {
  return { code: 'ai_cut', what: `broke off its answer (${code})` };
}
