// Alerts as the chat workspace shows them. What comes from the network can neither format, link, mention nor mislead.
import { isoTime } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../base/told-event.ts';
import { defanged, visible } from '../untrusted-text.ts';

/** Characters of one untrusted value, of a body, of a whole message (a section of a message takes 3,000). */
const most = { value: 120, body: 2000, message: 2900 };
/** What encloses a body: a line end and six characters. */
const fences = 7;
/** Alerts that a digest names. */
const listed = 15;

/** The members of an event that the workspace shows. */
type ShownEvent = Pick<ToldEvent, 'title' | 'at' | 'body' | 'link' | 'actionLink'> & {
  facts: readonly { label: string; value: string }[];
};

/** One alert as a message of its own. */
export function formatAlert(alert: ShownEvent): string {
  const facts = alert.facts.map(({ label, value }) => `• ${escaped(label)}: ${shown(value)}`);
  const links = [
    alert.link === undefined ? null : `<${escaped(alert.link)}|Open this alert>`,
    alert.actionLink === undefined ? null : `<${escaped(alert.actionLink)}|Act on it without a login>`,
  ].filter((link) => link !== null);
  const linkLine = links.length === 0 ? [] : [links.join(' · ')];
  const head = cut([`*${escaped(alert.title)}* ${moment(alert.at)}`, ...linkLine, ...facts].join('\n'));
  const room = Math.min(most.message - head.length - fences, most.body);
  return alert.body === undefined || room < 1 ? head : `${head}\n${bodyText(alert.body, room)}`;
}

/** Several alerts as one message: the first fifteen by name, the rest by number. */
export function formatDigest(alerts: readonly ShownEvent[]): string {
  const lines = alerts.slice(0, listed).map(({ title, facts, at }) => {
    const values = facts.slice(0, 2).map(({ value }) => shown(value));
    return `• ${escaped(title)}: ${values.join(' → ')} ${moment(at)}`;
  });
  const more = alerts.length - lines.length;
  const rest = more > 0 ? [`and ${more} more: see the detection log`] : [];
  return cut([`*${alerts.length} detections*`, ...lines, ...rest].join('\n'));
}

/** A moment in the reader's own time zone; clients that do not know how show UTC. */
function moment(at: number): string {
  const seconds = Math.floor(at / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time_secs}|${isoTime(seconds * 1000)}>`;
}

/** An untrusted value as code: names become no links (`evil[.]example`), and nothing ends the code but us. */
export function shown(value: string): string {
  const line = [...visible(value).replace(/\s+/g, ' ').trim()];
  const short = line.length > most.value ? `${line.slice(0, most.value - 1).join('')}…` : line.join('');
  return `\`${escaped(defanged(short).replaceAll('`', "'")) || '-'}\``;
}

/** As much of it as `room` characters show. */
function bodyText(body: string, room: number): string {
  const shownChars = [...defanged(visible(body)).replaceAll('`', "'")].map(escaped);
  let length = 0;
  const end = shownChars.findIndex((char) => {
    length += char.length;
    return length > room;
  });
  const text = end < 0 ? shownChars : [...shownChars.slice(0, Math.max(end - 1, 0)), '…'];
  return `\`\`\`${text.join('')}\`\`\``;
}

/** The three characters that mean something to the workspace (its formatting reference). */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Whole lines, as many as a message takes. */
function cut(text: string): string {
  if (text.length <= most.message) {
    return text;
  }
  const end = text.lastIndexOf('\n', most.message);
  return `${text.slice(0, end)}\n…`;
}
