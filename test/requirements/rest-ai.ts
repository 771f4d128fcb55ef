// REST specification: AI insights, their providers, prices, conversations and scheduled delivery.
import { type Requirement, stated } from './requirement.ts';

const resources = [
  ...stated(1, '1', {
    'rest.ai.facts-always': 'locally calculated facts are always available',
    'rest.ai.optional': 'AI insights are optional',
    'rest.ai.explicit-action': 'aggregates go to a configured provider only after an explicit user action',
  }),
  ...stated(1, '2 AI, 4 AI', {
    'rest.ai-config.read-fields':
      'GET /api/config/ai returns provider, model ids, local endpoint, region, key-set and consent flags, selectedModelPricing',
  }),
  ...stated(1, '2 AI', {
    'rest.ai-usage.totals': 'monthly usage has request and token totals of the current and previous local month',
    'rest.ai-usage.pricing': 'usage has pricing with catalog version, effective date and source URLs',
    'rest.ai-usage.priced-tokens': 'usage has pricedTokens and unpricedTokens',
    'rest.ai-usage.unpriced-models': 'usage has unpricedModels, grouped',
    'rest.ai-usage.unknown-price': 'usage has unknownPriceRequests',
    'rest.ai-usage.missing': 'usage has usageMissingRequests',
  }),
  ...stated(1, '2 AI', {
    'rest.ai-conversations.message-fields': 'a message has role user or assistant, requestId and conversationId',
    'rest.ai-conversations.assistant-fields':
      'an assistant message has usageInputTokens, usageOutputTokens, usageTotalTokens, estimatedCostUsd, pricingVersion',
  }),
];

const storedChat = [
  ...stated(1, '2 AI', {
    'rest.ai-conversations.older-null':
      'for history from before usage recording these are null, provider and model are kept',
  }),
  ...stated(1, '4 AI', {
    'rest.ai-conversations.list-totals': 'the conversation list carries stored counts and body bytes',
    'rest.ai-conversations.append-order': 'messages of a conversation come in append order',
    'rest.ai-conversations.delete': 'DELETE /api/ai/conversations/:id deletes a conversation, the only path that does',
  }),
  ...stated(1, '4 AI, 8', {
    'rest.ai-conversations.list-100': 'GET /api/ai/conversations returns at most 100 conversations',
    'rest.ai-conversations.messages-500': 'GET /api/ai/conversations/:id returns at most 500 messages',
  }),
];

const protectedRoutes = stated(1, '4 AI', {
  'rest.ai.all-protected': 'every AI route is Protected',
});

const providers = stated(1, '4 AI', {
  'rest.ai.provider-values': 'provider is disabled, local, cloud_a, cloud_b or cloud_c',
  'rest.ai.provider-default': 'provider defaults to disabled',
  'rest.ai.cloud-external': 'the cloud values transmit externally',
  'rest.ai.local-endpoint': 'only local accepts a custom HTTP(S) endpoint',
  'rest.ai.fixed-endpoints': 'cloud_a and cloud_b use fixed official endpoints',
  'rest.ai.cloud-c-region': "cloud_c uses a region and the provider's conversation API",
  'rest.ai.cloud-c-no-key': 'cloud_c stores no key and uses the default credential chain of the cloud SDK',
  'rest.ai-config.keys-never': 'key values are never returned',
  'rest.ai-config.write-fields':
    'POST /api/config/ai accepts provider, provider-keyed models, localEndpoint, region, cloud keys, clearKeys',
  'rest.ai-config.consent': 'selecting a cloud provider requires the provider-specific cloudConsent: true',
  'rest.ai-config.cloud-c-model':
    'models.cloud_c accepts a foundation model id, an ARN, or a profile id prefixed global, us, eu, apac, jp or au',
  'rest.ai-config.guardrail': 'an enabled guardrail { enabled, id, version } is passed as guardrailConfig',
  'rest.ai-config.guardrail-no-residency': 'guardrails are not presented as a guarantee of in-country processing',
  'rest.ai-config.guardrail-permission': 'an enabled guardrail needs the apply-guardrail permission',
  'rest.ai-models.region': 'POST /api/ai/models takes a region and lists models and profiles without inference',
  'rest.ai-models.pricing': 'the string models array is kept and modelPricing coverage is added',
  'rest.ai-models.omitted': 'specialised image, audio and embedding ids are omitted',
  'rest.ai-models.manual': 'manual entry of a model id stays available',
  'rest.ai-guardrails.list':
    "POST /api/ai/guardrails lists a region's guardrails (id, name, versions) without inference",
  'rest.ai-guardrails.fail-open': 'a missing list permission gives an empty guardrail list',
  'rest.ai-test.empty-body': 'POST /api/ai/test takes an empty JSON object',
  'rest.ai-test.fetch-models': 'the test of fetch-based providers retrieves model ids',
  'rest.ai-test.cloud-c': 'cloud_c does fail-open model discovery and sends a short fixed string to verify invoke',
  'rest.ai-test.no-data': 'the test sends no network, device or threat data',
});

const priceChecks = stated(1, '4 AI', {
  'rest.ai-pricing.check': 'POST /api/ai/pricing/check tells whether the catalog has a standard token rate for a model',
  'rest.ai-pricing.no-contact': 'the pricing check does not contact the provider',
});

const providerLimits = stated(1, '4 AI, 8', {
  'rest.ai-config.arn-400': 'a model ARN has at most 400 characters',
  'rest.ai-models.200': 'model listing returns at most 200 ids',
  'rest.ai-test.limits': 'the test retrieves at most 200 ids in at most 10 seconds and 1 MB',
});

/** Beyond the specification. */
const generations = stated(1, '4 AI', {
  'rest.ai-provider.failures': 'what a provider does wrong has a code, and a sentence that says what to do',
  'rest.ai-provider.words-untrusted': 'words of a provider in messages are shortened and visible, and hold no key',
  'rest.ai-provider.usage':
    'usage is read into whole tokens with those of the cache, or is not known; absurd numbers never',
  'rest.ai-provider.cut-prompt': 'an answer to a prompt that a local server cut is refused, and says how to mend it',
  'rest.ai-provider.truncated': 'an answer that ended at the limit of its length is shown as such',
  'rest.ai-provider.one-place':
    'one generation at a time; the place is free after each end, also when the client leaves',
  'rest.ai-provider.silent': 'a hub whose provider is disabled, and one in offline mode, sends nothing to any provider',
  'rest.ai-provider.rebinding': 'a name of a local endpoint is checked by the addresses that it is resolved to',
  'rest.ai-provider.as-shown': 'what is sent to a provider is byte for byte what was shown before; keys are in no body',
  'rest.ai-provider.audited':
    'each request that was sent to a provider is one audit event ai_sent: who, to whom, for what, how it ended; no other is',
});

const insights = [
  ...stated(1, '4 AI', {
    'rest.ai-facts.range': 'GET /api/ai/facts requires from, to is optional',
    'rest.ai-facts.periods': 'facts cover the current and the immediately preceding equal period',
    'rest.ai-facts.counts': 'facts count connections, devices, destinations and threat levels',
    'rest.ai-facts.routers': 'facts include credential-free router collection status',
    'rest.ai-facts.local': 'facts send nothing to an AI provider',
  }),
  ...stated(1, '4 AI', {
    'rest.ai-analyze.body': 'POST /api/ai/analyze takes from, optional to, cloudConsentConfirmed',
    'rest.ai-analyze.sends': 'analyze sends connection aggregates, a device inventory and mesh-node summaries',
    'rest.ai-analyze.fields':
      'fields may include IPs, hostnames, device names, MACs, vendors, IPv6, first/last seen, source, status, counts',
    'rest.ai-analyze.excluded':
      'credentials, notes, archived devices, router and node management IPs and raw logs are excluded',
    'rest.ai-analyze.both-consents': 'cloud needs the saved consent and cloudConsentConfirmed: true on every request',
  }),
  ...stated(1, '8', { 'rest.ai-facts.14-days': 'facts cover at most 14 days' }),
  ...stated(1, '8', {
    'rest.ai-analyze.14-days': 'analyze covers at most 14 days',
    'rest.ai-analyze.timeout-30s': 'analyze times out after 30 seconds',
    'rest.ai-analyze.one-at-a-time': 'one analysis runs at a time, server-wide',
  }),
  ...stated(1, '4 AI', { 'rest.ai-analyze.by-activity': 'the device inventory is prioritised by activity' }),
  ...stated(1, '4 AI, 8', {
    'rest.ai-analyze.30-devices': 'analyze sends at most 30 devices',
    'rest.ai-analyze.10-nodes': 'analyze sends at most 10 nodes with 5 sample devices each',
  }),
];

/** Of the issue that asks for it: no document has these. */
const shownAndCompared = stated(1, '4 AI', {
  'rest.ai-preview.exact':
    'POST /api/ai/preview shows the request of an analysis byte for byte; exactly this is sent for it',
  'rest.ai-preview.sends-nothing': 'a preview sends nothing',
  'rest.ai-preview.bound': 'a preview is sent for what it was made for, for 15 minutes, and for nothing else',
  'rest.ai-citations.compared':
    'addresses, host names and numbers of an answer are compared with the facts that were sent',
  'rest.ai-citations.made-up': 'what an answer states and the facts do not hold is shown as not verified',
});

const untrusted = stated(1, '4 AI', {
  'rest.ai-facts.untrusted': 'names in the facts that read like instructions change nothing but the quoted text',
});

const usage = [
  ...stated(1, '4 AI', {
    'rest.ai-usage.timezone': 'GET /api/ai/usage/monthly takes timezoneOffset in minutes',
    'rest.ai-usage.not-recalculated': 'later catalog updates do not recalculate past months',
    'rest.ai-usage.distinct': 'unknown-price requests and responses without usage stay distinct',
    'rest.ai-usage.never-zero': 'unknown cost is never shown as USD 0',
    'rest.ai-pricing.diagnostics-timezone': 'pricing diagnostics takes timezoneOffset',
    'rest.ai-pricing.diagnostics-groups': 'diagnostics groups unpriced models of the current and previous local month',
    'rest.ai-pricing.diagnostics-safe': 'diagnostics exposes model ids and usage totals, never keys or prompts',
    'rest.ai-usage.appended':
      'each successful call is appended with provider, model, price-table version and rates used',
    'rest.ai-usage.add-ons': 'add-on charges such as guardrails are excluded',
    'rest.ai-pricing.diagnostics': "GET /api/ai/pricing/diagnostics returns the selected model's catalog status",
  }),
  // Beyond the specification.
  ...stated(1, '4 AI', {
    'rest.ai-usage.unanswered':
      'what a provider counted for an answer that was refused, cut, empty or unreadable is in the month, and marked',
  }),
];

const chat = [
  ...stated(1, '4 AI', {
    'rest.ai-chat.body': 'POST /api/ai/chat takes message, a range, optional conversationId and requestId',
    'rest.ai-chat.user-row-first': 'the user row is appended before the AI call',
    'rest.ai-chat.outcome-row': 'then an assistant row or a body-free failure row is appended',
    'rest.ai-chat.no-duplicate': 'the same requestId with the same role is never duplicated',
    'rest.ai-conversations.durable': 'restarts and configuration changes never update or truncate rows',
  }),
  // Beyond the specification.
  ...stated(1, '4 AI', {
    'rest.ai-chat.repeat-conflict':
      'a requestId that comes again with another content is a conflict: neither the stored answer nor a provider answers',
  }),
  ...stated(1, '4 AI, 8', {
    'rest.ai-chat.message-4000': 'message has at most 4,000 characters',
  }),
];

const scheduled = [
  ...stated(1, '4 AI', {
    'rest.ai-notifications.config-read':
      'notification-config GET returns schedule, trigger, destination and runtime status',
    'rest.ai-notifications.config-write':
      'notification-config POST saves validated scheduling and automation-consent settings',
    'rest.ai-notifications.test': 'notification-test checks UI and chat delivery without invoking AI',
    'rest.ai-notifications.run-now': 'notification-run-now runs the configured analysis range on explicit request',
  }),
  ...stated(1, '4 AI, 6', {
    'rest.ai-notifications.append-only': 'delivery records are append-only, read through notification-events',
  }),
  ...stated(1, '4 AI, 6, 8', {
    'rest.ai-notifications.events-200': 'notification-events returns at most 200 records',
  }),
];

export const restAi: readonly Requirement[] = [
  ...resources,
  ...protectedRoutes,
  ...providers,
  ...priceChecks,
  ...providerLimits,
  ...generations,
  ...insights,
  ...shownAndCompared,
  ...untrusted,
  ...usage,
  ...chat,
  ...storedChat,
  ...scheduled,
];
