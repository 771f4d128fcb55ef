// Describes what each service takes, as its documentation says: members, lengths, and where the token stands.
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const address = z.url({ protocol: /^https?$/ });

export interface Request {
  /** Below the path of the service, without a leading slash. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
}

export interface Form {
  body: z.ZodType;
  /** The token or the secret part of the address; null: the request has none. */
  tokenOf: (request: Request, body: unknown) => string | null;
  /** The body is `application/x-www-form-urlencoded`. */
  isUrlEncoded?: true;
  /** The paths below the service that take a message. */
  path: RegExp;
  /** The answer to a message that was taken, and to one that was not. */
  taken: object | string;
  refused: (reason: string, status: number) => object;
}

const pathToken = ({ path }: Request) => /([^/]+)$/.exec(path)?.[1] ?? null;

/** https://docs.ntfy.sh/publish/#publish-as-json */
const ntfy: Form = {
  path: /^$/,
  body: z.strictObject({
    topic: z.string().regex(/^[-\w]{1,64}$/),
    title: text(250),
    message: text(4096),
    priority: z.int().min(1).max(5),
    tags: z.array(z.string().regex(/^[a-z_]+$/)),
    click: address.optional(),
    actions: z
      .array(z.strictObject({ action: z.literal('view'), label: text(64), url: address }))
      .max(3)
      .optional(),
  }),
  tokenOf: ({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  taken: { id: 'hwQ2YpKdmg', event: 'message' },
  refused: (error, http) => ({ code: http * 100 + 1, http, error }),
};

/** https://gotify.net/api-docs#/message/createMessage */
const gotify: Form = {
  path: /^message$/,
  body: z.strictObject({
    title: text(1000),
    message: text(65_536),
    priority: z.int().min(0).max(10),
    extras: z
      .strictObject({ 'client::notification': z.strictObject({ click: z.strictObject({ url: address }) }) })
      .optional(),
  }),
  tokenOf: ({ headers }) => headers['x-gotify-key'] ?? null,
  taken: { id: 25 },
  refused: (errorDescription, errorCode) => ({ error: 'Refused', errorCode, errorDescription }),
};

/** https://discord.com/developers/docs/resources/webhook#execute-webhook */
const discord: Form = {
  path: /^api\/webhooks\/\d+\/[\w-]+$/,
  body: z.strictObject({
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    embeds: z
      .array(
        z.strictObject({
          title: text(256),
          url: address.optional(),
          color: z.int().min(0).max(0xffffff),
          timestamp: z.iso.datetime(),
          fields: z.array(z.strictObject({ name: text(256), value: text(1024) })).max(25),
        }),
      )
      .min(1)
      .max(10),
  }),
  tokenOf: pathToken,
  taken: '',
  refused: (message, code) => ({ message, code }),
};

/** https://core.telegram.org/bots/api#sendmessage */
const telegram: Form = {
  path: /^bot[^/]+\/sendMessage$/,
  body: z.strictObject({
    chat_id: text(64),
    text: text(4096),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
    disable_notification: z.boolean(),
  }),
  tokenOf: ({ path }) => /^bot([^/]+)/.exec(path)?.[1] ?? null,
  taken: { ok: true, result: { message_id: 4 } },
  refused: (description, error_code) => ({ ok: false, error_code, description }),
};

/** https://pushover.net/api#messages */
const pushover: Form = {
  path: /^1\/messages\.json$/,
  isUrlEncoded: true,
  body: z.strictObject({
    token: text(64),
    user: text(64),
    title: text(250),
    message: text(1024),
    priority: z.enum(['-2', '-1', '0', '1']),
    timestamp: z.string().regex(/^\d{10}$/),
    url: address.max(512).optional(),
    url_title: text(100).optional(),
  }),
  tokenOf: (_, body) => (body as { token?: string }).token ?? null,
  taken: { status: 1, request: '647d2300-702c-4b38-8b2f-d56326ae460b' },
  refused: (error) => ({ status: 0, errors: [error] }),
};

const block = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string(),
  wrap: z.boolean(),
  weight: z.string().optional(),
});
const facts = z.strictObject({
  type: z.literal('FactSet'),
  facts: z.array(z.strictObject({ title: z.string(), value: z.string() })),
});

/** https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const teams: Form = {
  path: /^workflows\/[\w-]+$/,
  body: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        content: z.strictObject({
          type: z.literal('AdaptiveCard'),
          $schema: z.url(),
          version: z.string().regex(/^1\.[0-5]$/),
          body: z.array(z.union([block, facts])),
          actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(64), url: address })).max(6),
        }),
      }),
    ]),
  }),
  tokenOf: pathToken,
  taken: '',
  refused: (message, code) => ({ error: { code: String(code), message } }),
};

/** https://www.home-assistant.io/docs/automation/trigger/#webhook-trigger: any body, and no word about an unknown id. */
const homeAssistant: Form = {
  path: /^api\/webhook\/[\w-]+$/,
  body: z.looseObject({}),
  tokenOf: pathToken,
  taken: '',
  refused: (message) => ({ message }),
};

/** The first part of the path names the service. */
export const forms = { ntfy, gotify, discord, telegram, pushover, teams, home_assistant: homeAssistant } as const;
export type ServiceName = keyof typeof forms;
