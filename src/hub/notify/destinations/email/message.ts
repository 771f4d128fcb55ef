// Makes an e-mail of an event. Values come from the network, so they are plain text, in the HTML part as well.
import type { SendMailOptions } from 'nodemailer';
import { clipText } from '#kernel/text/clip.ts';
import { toDate } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../../base/told-event.ts';
import { visible } from '../../untrusted-text.ts';
import type { SettingsOf } from '../sender.ts';
import { linksOf, toText } from '../webhook/presets.ts';

/** The most characters of a message; no event has as many. */
const most = 20_000;

/** `id` is the same at every try, so mail programs recognise a repetition by its Message-ID. */
export function toMail(event: ToldEvent, id: string, now: number, { from, to }: SettingsOf<'email'>): SendMailOptions {
  const text = toText(event, most);
  const links = linksOf(event);
  return {
    from,
    to,
    subject: clipText(visible(`[Gatehouse] ${event.title}${subject(event)}`).replace(/\s+/g, ' '), 200),
    messageId: `<${id}@gatehouse.invalid>`,
    date: toDate(now),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: [text, ...links].join('\n\n'),
    html: toHtml(event.title, text, event),
    // What an event says is never read as the name of a file or as an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns the end of the subject: the first fact, which most often names the device. */
function subject({ facts: [first] }: ToldEvent): string {
  return first === undefined ? '' : `: ${first.value}`;
}

function toHtml(title: string, text: string, { link, actionLink }: ToldEvent): string {
  const anchor = (url: string | undefined, words: string) =>
    url === undefined ? '' : `<p><a href="${escapeHtml(url)}">${words}</a></p>`;
  const lines = text.split('\n').map(escapeHtml).join('<br>');
  return `<h3>${escapeHtml(title)}</h3><p>${lines}</p>${anchor(link, 'Open this alert')}${anchor(actionLink, 'Act on it without a login')}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
