// The pages of the simulated web UI, version 1.4.0, written from values and words. Nothing here knows of sessions.
import type { Random } from '../../support/random.ts';
import type { Item, Values } from '../values.ts';
import { getLanguage } from './locales.ts';
import { closeTag, escapeHtml, openTag, type Style, toReferences } from './markup.ts';
import { formatValue } from './notation.ts';

/** How a page looks in what the product leaves open, and what a fault changes of it. */
export interface Look {
  style: Style;
  valueTag: 'div' | 'span';
  /** What stands between lines; `\n` in the fixtures. */
  between: string;
  /** Puts the rows of a section in another order. */
  order: Random | null;
  /** The id of an element, where it differs from that of 1.4.0; null takes the element off the page. */
  rename: (id: string) => string | null;
  /** Ids of elements that are there without their text. */
  emptied: ReadonlySet<string>;
  lang: 'plain' | 'missing' | 'last' | 'region' | 'xml';
  nested: boolean;
  references: boolean;
  /** Ids of values in a comment, a script and a data attribute in front of the content. */
  decoys: boolean;
}

export const plainLook: Look = {
  style: 'plain',
  valueTag: 'div',
  between: '\n',
  order: null,
  rename: (id) => id,
  emptied: new Set(),
  lang: 'plain',
  nested: false,
  references: false,
  decoys: false,
};

export interface StatusPage {
  locale: string;
  locales: readonly string[];
  values: Values;
  outlets: readonly { label: string; on: boolean }[];
  grouping: boolean;
}

const sections: readonly { title: 'unitStatus' | 'power' | 'battery'; items: readonly Item[] }[] = [
  { title: 'unitStatus', items: ['DeviceStatus', 'RealPowerPct', 'RuntimeRemaining', 'InternalTemp'] },
  {
    title: 'power',
    items: ['ApparentPowerPct', 'LoadCurrent', 'InputVoltage', 'OutputVoltage', 'InputFrequency', 'OutputFrequency'],
  },
  { title: 'battery', items: ['BatteryCharge', 'VoltageDC'] },
];

export function writeStatusPage({ locale, locales, values, outlets, grouping }: StatusPage, look = plainLook): string {
  const words = getLanguage(locale);
  const options = locales.map(
    (name) => `<option value="${name}"${name === locale ? ' selected="selected"' : ''}>${name}</option>`,
  );
  const writeRows = (items: readonly Item[]) => {
    const rows = items.flatMap((item) => {
      const value = values[item];
      const text = value === null ? null : formatValue(item, value, words, grouping);
      const unit = item === 'InternalTemp' ? undefined : words.units[item]?.text;
      return text === null ? [] : writeRow({ id: `value_${item}`, label: words.labels[item].text, text, unit }, look);
    });
    return look.order ? shuffle(rows, look.order) : rows;
  };
  const outletRows = outlets.flatMap(({ label, on }, at) =>
    writeRow({ id: `status${at}`, label, text: on ? 'On' : 'Off', unit: undefined }, look),
  );
  return framePage(locale, words.unitStatus.text, look, [
    '<body>',
    `<div id="header"><h1>UPS Management</h1><a href="/logoff" id="logoff">${escapeHtml(words.logOff.text)}</a></div>`,
    '<div id="nav">',
    '<form name="localeForm" id="localeForm" action="/setLocale" method="post">',
    '<input type="hidden" name="targetURL" value="/status">',
    `<select name="newLocale" id="newLocale">${options.join('')}</select>`,
    '</form>',
    '</div>',
    ...(look.decoys ? decoys : []),
    '<div id="content">',
    '<div class="accordion">',
    ...sections.flatMap(({ title, items }) => [
      `<h2>${escapeHtml(words[title].text)}</h2>`,
      '<div>',
      ...writeRows(items),
      ...(title === 'battery' && outlets.length > 0
        ? [`<h2>${escapeHtml(words.outlets.text)}</h2>`, '<div>', ...outletRows, '</div>']
        : []),
      '</div>',
    ]),
    '</div>',
    '</div>',
    '</body>',
  ]);
}

export interface LogonPage {
  locale: string;
  /** null: a page without the token inputs. */
  token: string | null;
  /** Session parameter behind the form's action, such as `;jsessionid=node0….node0`. */
  sessionSuffix: string;
  /** Whether somebody else is logged on; `hidden` puts the element there without showing it. */
  busy: boolean | 'hidden';
  problem: 'wrongPassword' | 'locked' | null;
}

export function writeLogonPage({ locale, token, sessionSuffix, busy, problem }: LogonPage, look = plainLook): string {
  const words = getLanguage(locale);
  const input = (type: string, name: string, rest: [string, string][]) =>
    openTag('input', [['type', type], ['name', name], ['id', name], ...rest], look.style);
  const button = input('submit', 'login', [['value', words.logOn.text]]);
  const tokens = [
    input('hidden', 'formtoken', [['value', token ?? '']]),
    input('hidden', 'formtokenid', [['value', '/logon_formtoken']]),
  ];
  const style = busy === 'hidden' ? ' style="display:none"' : '';
  return framePage(locale, words.logOn.text, { ...look, style: 'plain' }, [
    '<body class="logon">',
    '<div id="header"><h1>UPS Management</h1></div>',
    '<div id="nav"></div>',
    ...(look.decoys ? decoys : []),
    '<div id="content">',
    '<div class="panel">',
    ...(problem ? [`<div id="loginError" class="error">${escapeHtml(words[problem].text)}</div>`] : []),
    ...(busy ? [`<div id="alreadyLoggedOn" class="error"${style}>${escapeHtml(words.busy.text)}</div>`] : []),
    `<form name="loginForm" id="loginForm" action="j_security_check${sessionSuffix}" method="post" autocomplete="off">`,
    `<label for="j_username">${escapeHtml(words.userName.text)}</label>`,
    input('text', 'j_username', [['maxlength', '128']]),
    `<label for="j_password">${escapeHtml(words.password.text)}</label>`,
    input('password', 'j_password', [['maxlength', '128']]),
    button,
    ...(token === null ? [] : look.order ? shuffle(tokens, look.order) : tokens),
    '</form>',
    '</div>',
    '</div>',
    '</body>',
  ]);
}

export interface Row {
  id: string;
  label: string;
  text: string;
  unit: string | undefined;
}

/** The lines of a row; none when its element is off the page. */
export function writeRow({ id: usual, label, text, unit }: Row, look: Look): string[] {
  const id = look.rename(usual);
  if (id === null) {
    return [];
  }
  const shown = look.references ? toReferences(text) : escapeHtml(text);
  const inner = look.nested ? `<b><span class="n">${shown}</span></b>` : shown;
  const open = openTag(look.valueTag, valueAttributes(id, look), look.style === 'reordered' ? 'plain' : look.style);
  const value = `${open}${look.emptied.has(usual) ? ' ' : inner}${closeTag(look.valueTag, look.style)}`;
  const unitText = unit === undefined ? '' : `<div class="unit">${escapeHtml(unit)}</div>`;
  return [`<div class="row"><div class="label">${escapeHtml(label)}</div>${value}${unitText}</div>`];
}

function valueAttributes(id: string, { style, valueTag }: Look): [string, string][] {
  if (style === 'reordered') {
    return [
      ['data-unit', 'x'],
      ['id', id],
      ['title', 'a > b'],
      ['class', 'value'],
    ];
  }
  const attributes: [string, string][] = [
    ['class', 'value'],
    ['id', id],
  ];
  return valueTag === 'span' ? attributes.toReversed() : attributes;
}

const decoys: readonly string[] = [
  '<!-- <div class="value" id="value_DeviceStatus">Comment</div> <div id="alreadyLoggedOn"></div> -->',
  '<script>var a = \'<div id="value_RealPowerPct">99.9</div><div id="alreadyLoggedOn">x</div>\';</script>',
  '<div data-id="value_BatteryCharge" title="id=value_InputVoltage">1.1</div>',
];

export function framePage(locale: string, title: string, look: Look, body: readonly string[]): string {
  return [
    '<!DOCTYPE html>',
    htmlTag(locale, look),
    '<head>',
    '<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">',
    `<title>UPS Management - ${escapeHtml(title)}</title>`,
    '<link rel="stylesheet" type="text/css" href="/css/ui.css">',
    '</head>',
    ...body,
    '</html>',
    '',
  ].join(look.between);
}

function htmlTag(locale: string, { lang, style }: Look): string {
  const attributes: Record<Look['lang'], [string, string][]> = {
    plain: [['lang', locale]],
    missing: [],
    last: [
      ['class', 'no-js'],
      ['data-lang', 'xx'],
      ['lang', locale],
    ],
    region: [['lang', locale === 'en' ? 'en-US' : locale]],
    xml: [['xml:lang', locale]],
  };
  return openTag('html', attributes[lang], style === 'reordered' ? 'plain' : style);
}

function shuffle<T>(list: readonly T[], random: Random): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random.int(0, rest.length - 1), 1)[0] as T);
}
