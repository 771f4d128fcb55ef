// What a new version of the product means for upsget: what a correct reader finds on its pages, and which lines to change.
import { parse } from 'parse5';
import { diffPages } from '../diff/page-diff.ts';
import { type Element, findElements, getAttribute, getText } from '../html-tree.ts';
import { builtInNames, type LoginField, readLoginForm } from '../pages/login-form.ts';

/** What a correct reader finds on a page, as in `expected.json` of fixtures/ups. */
export type ExpectedPage =
  | {
      kind: 'logon';
      lang: string | null;
      alreadyLoggedOn: boolean;
      formtoken: string;
      formtokenid: string;
      login: string;
    }
  | { kind: 'status' | 'unknown'; lang: string | null; values: Record<string, string>; missing?: string[] };

export interface Adoption {
  expected: Record<string, ExpectedPage>;
  /** New names of elements and fields by the name before. */
  renamed: ReadonlyMap<string, string>;
  /** Ids that upsget reads, that are gone, and that nothing new is like; with the ids that are new on that page. */
  lost: readonly { id: string; page: string; candidates: readonly string[] }[];
}

/** The six items of upsget, by the ids of their elements in version 1.4.0. */
const itemIds = {
  status: 'value_DeviceStatus',
  load: 'value_RealPowerPct',
  runtime: 'value_RuntimeRemaining',
  voltage: 'value_InputVoltage',
  battery: 'value_BatteryCharge',
  batteryvoltage: 'value_VoltageDC',
} as const;
const takenId = 'alreadyLoggedOn';
const readIds: ReadonlySet<string> = new Set([...Object.values(itemIds), takenId]);

/** Compares saved pages with those of an earlier version. A page of a new language is compared with the English one. */
export function adoptPages(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Adoption {
  const renamed = new Map<string, string>();
  const lost = new Map<string, Adoption['lost'][number]>();
  for (const [name, page] of after) {
    const earlier = before.get(name) ?? before.get(name.replace(/\.[\w-]+\.html$/, '.en.html'));
    const { changes } =
      earlier === undefined ? { changes: [] } : diffPages(new Map([['', earlier]]), new Map([['', page]]));
    const candidates = changes.flatMap(({ kind, to }) => (kind === 'new' && to !== null ? [to] : []));
    for (const { kind, from, to } of changes.filter((change) => readIds.has(change.from ?? ''))) {
      if (kind === 'renamed' && from !== null && to !== null) {
        renamed.set(from, to);
      } else if (kind === 'missing' && from !== null) {
        lost.set(from, { id: from, page: name, candidates });
      }
    }
    for (const [field, name] of Object.entries(readLoginForm(page)?.names ?? {})) {
      if (name !== builtInNames[field as LoginField]) {
        renamed.set(builtInNames[field as LoginField], name);
      }
    }
  }
  const pages = [...after].map(([name, page]) => [name, describePage(name, page, renamed)] as const);
  return {
    expected: Object.fromEntries(pages),
    renamed,
    lost: [...lost.values()].filter(({ id }) => !renamed.has(id)),
  };
}

function describePage(name: string, page: string, renamed: ReadonlyMap<string, string>): ExpectedPage {
  const elements = findElements(parse(page));
  const root = elements.find(({ tagName }) => tagName === 'html');
  const lang = (root && (getAttribute(root, 'lang') ?? getAttribute(root, 'xml:lang'))) || null;
  const find = (id: string): Element | undefined =>
    elements.find((element) => [id, renamed.get(id)].includes(getAttribute(element, 'id') ?? ''));
  const form = readLoginForm(page);
  if (form) {
    const alreadyLoggedOn = find(takenId) !== undefined || name.startsWith('logon-already');
    const { token, tokenId, button } = form.values;
    const [formtoken, formtokenid, login] = [token ?? '', tokenId ?? '', button ?? ''];
    return { kind: 'logon', lang, alreadyLoggedOn, formtoken, formtokenid, login };
  }
  const found = Object.entries(itemIds).map(([item, id]) => [item, getText(find(id) ?? noElement)] as const);
  const missing = found.flatMap(([item, text]) => (text === '' ? [item] : []));
  return {
    kind: find(itemIds.status) ? 'status' : 'unknown',
    lang,
    values: Object.fromEntries(found.filter(([, text]) => text !== '')),
    ...(missing.length === 0 ? {} : { missing }),
  };
}

const noElement = parse('');
