// Makes the request that each service takes for an event: https://docs.ntfy.sh/publish, https://gotify.net/api-docs, https://discord.com/developers/docs,
// https://core.telegram.org/bots/api, https://pushover.net/api, https://adaptivecards.io, https://www.home-assistant.io/docs.
import { clipText } from '#kernel/text/clip.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../../base/told-event.ts';
import { SendFailure } from '../../send-failure.ts';
import { toLine } from '../../untrusted-text.ts';
import type { SettingsOf } from '../sender.ts';

export interface PresetRequest {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** What an answer with a status of success refuses; null when it took the event. Absent: the status says it. */
  refusal?: (answer: string) => 'event' | 'settings' | null;
}

type Given = Pick<SettingsOf<'webhook'>, 'url' | 'secret' | 'to'> & { id: string };

interface Preset {
  toRequest(event: ToldEvent, given: Given): PresetRequest;
}

const json = { 'content-type': 'application/json' };

export const presets: Readonly<Record<SettingsOf<'webhook'>['preset'], Preset>> = {
  json: { toRequest: (event, { url, id }) => ({ url: new URL(url), headers: json, body: formatEvent(event, id) }) },
  home_assistant: {
    toRequest: (event, { url, id }) => ({ url: new URL(url), headers: json, body: formatEvent(event, id) }),
  },
  ntfy: {
    toRequest(event, { url: given, secret }) {
      const url = new URL(given);
      const [, folder = '/', topic = ''] = /^(.*\/)([^/]+)\/?$/.exec(url.pathname) ?? [];
      if (topic === '') {
        throw new SendFailure(
          'settings',
          'topic_missing',
          'the address has no topic: use one such as https://ntfy.sh/my-topic',
        );
      }
      url.pathname = folder;
      return {
        url,
        headers: { ...json, ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }) },
        body: JSON.stringify({
          topic: decodeURIComponent(topic),
          title: event.title,
          message: toText(event, 3500),
          priority: { danger: 5, warning: 4, info: 3 }[event.level],
          tags: [
            event.state === 'resolved'
              ? 'white_check_mark'
              : { danger: 'rotating_light', warning: 'warning', info: 'information_source' }[event.level],
          ],
          click: event.link,
          ...(event.actionLink && { actions: [{ action: 'view', label: 'Act on it', url: event.actionLink }] }),
        }),
      };
    },
  },
  gotify: {
    toRequest: (event, { url, secret }) => ({
      url: below(url, 'message'),
      headers: { ...json, 'x-gotify-key': secret },
      body: JSON.stringify({
        title: event.title,
        message: toText(event, 3500, linksOf(event)),
        priority: { danger: 8, warning: 5, info: 2 }[event.level],
        ...(event.link && { extras: { 'client::notification': { click: { url: event.link } } } }),
      }),
    }),
  },
  discord: {
    toRequest: (event, { url }) => ({
      url: new URL(url),
      headers: json,
      body: JSON.stringify({
        // Discord then mentions nobody, whatever a value says.
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: clipText(event.title, 256),
            url: event.link,
            color: { danger: 0xd93025, warning: 0xf29900, info: 0x1a73e8 }[event.level],
            timestamp: isoTime(event.at),
            fields: [
              ...event.facts.slice(0, 23).map(({ label, value }) => ({ name: label, value: quoteAsCode(value) })),
              ...(event.body === undefined ? [] : [{ name: 'Text', value: quoteAsCode(event.body) }]),
              ...(event.actionLink ? [{ name: 'Without a login', value: `[Act on it](${event.actionLink})` }] : []),
            ],
          },
        ],
      }),
    }),
  },
  telegram: {
    toRequest: (event, { url, secret, to }) => ({
      url: below(url, `bot${secret}/sendMessage`),
      headers: json,
      body: JSON.stringify({
        chat_id: to,
        // Without parse_mode, Telegram formats nothing in a value.
        text: `${event.title}\n${toText(event, 3500, linksOf(event))}`,
        link_preview_options: { is_disabled: true },
        disable_notification: event.level === 'info',
      }),
      refusal: (answer) => (/"ok"\s*:\s*true/.test(answer) ? null : 'settings'),
    }),
  },
  pushover: {
    toRequest: (event, { url, secret, to }) => ({
      url: new URL(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        token: secret,
        user: to,
        title: clipText(event.title, 250),
        message: toText(event, 1000),
        priority: String({ danger: 1, warning: 0, info: -1 }[event.level]),
        timestamp: String(Math.floor(event.at / 1000)),
        ...(event.actionLink ? { url: event.actionLink, url_title: 'Act on it' } : event.link && { url: event.link }),
      }).toString(),
      refusal: (answer) => (/"status"\s*:\s*1\b/.test(answer) ? null : 'settings'),
    }),
  },
  teams: {
    toRequest: (event, { url }) => ({
      url: new URL(url),
      headers: json,
      body: JSON.stringify({
        type: 'message',
        attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: toCard(event) }],
      }),
    }),
  },
};

/** Returns the whole event as JSON for programs. The names of its members are stable. */
export function formatEvent(event: ToldEvent, id: string): string {
  const { at, link = null, actionLink = null, body = null, ...rest } = event;
  return JSON.stringify({ version: 1, id, ...rest, at: isoTime(at), body, link, actionLink });
}

/** Returns the event as text of at most `most` UTF-16 units: a line for each fact, then the body, then the links. */
export function toText(event: ToldEvent, most: number, links: readonly string[] = []): string {
  const facts = event.facts.map(({ label, value }) => `${label}: ${toLine(value, 200)}`);
  const body = event.body?.split('\n').map((line) => toLine(line, 200)) ?? [];
  const end = links.join('\n');
  const text = clipText([...facts, ...body].join('\n'), most - end.length - 1);
  return [text, end].filter((part) => part !== '').join('\n') || event.title;
}

/** Returns a line for each address of the event. The hub made these addresses, so they are trusted. */
export function linksOf({ link, actionLink }: ToldEvent): string[] {
  return [link && `Open: ${link}`, actionLink && `Act on it without a login: ${actionLink}`].filter(
    (line) => line !== undefined && line !== '',
  ) as string[];
}

/** Returns a value as Markdown code, which nothing in the value can end. */
function quoteAsCode(value: string): string {
  return `\`${toLine(value, 900).replaceAll('`', "'")}\``;
}

function toCard(event: ToldEvent): object {
  const open = (title: string, url: string | undefined) => (url ? [{ type: 'Action.OpenUrl', title, url }] : []);
  const text = (words: string, more: object = {}) => ({ type: 'TextBlock', wrap: true, text: words, ...more });
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body: [
      text(event.title, { weight: 'Bolder' }),
      {
        type: 'FactSet',
        facts: event.facts.map(({ label, value }) => ({ title: label, value: withoutMarkdown(value) })),
      },
      ...(event.body === undefined ? [] : [text(withoutMarkdown(event.body))]),
    ],
    actions: [...open('Open this alert', event.link), ...open('Act on it without a login', event.actionLink)],
  };
}

/** Returns a value that makes no link in a card. Other Markdown only changes how a word looks there. */
function withoutMarkdown(value: string): string {
  return toLine(value, 900).replaceAll('](', '] (');
}

function below(base: string, path: string): URL {
  return new URL(path, base.endsWith('/') ? base : `${base}/`);
}
