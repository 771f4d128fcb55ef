// The URL of the web interface. Its path names the place (map, devices, …), its query holds the state of the view.
import { computed, signal } from '@preact/signals';
import { base } from '../base.ts';
import { after } from '../clock.ts';
import { mayLeave } from './unsaved.ts';

const address = signal(location.href);

/** Whether the page goes back already, to close something. */
let isLeaving = false;
/** Opens the panel that was asked for while the page was still going back; null when none was. */
let openNext: (() => void) | null = null;

addEventListener('popstate', () => {
  isLeaving = false;
  const target = location.href;
  if (keepsForms(target) || mayLeave(() => history.back())) {
    address.value = target;
  } else {
    // The browser has left already: the page goes on as a new entry of the history.
    history.pushState(null, '', address.value);
  }
  // The closed panel leaves the page before the next one opens: the two may be the same component.
  after(0, () => {
    openNext?.();
    openNext = null;
  });
});

/** The path below the page's own: a place, or a place and what of it is shown. */
export const path = computed(() => new URL(address.value).pathname.slice(base.pathname.length));

/** The place; empty for the overview. */
export const place = computed(() => path.value.split('/')[0] ?? '');

/** What of the place is shown, such as the id of a device; null: all of it. */
export const shownItem = computed((): string | null => {
  const [, item] = path.value.split('/');
  return item === undefined ? null : decode(item);
});

/** Decodes percent escapes, unless they are broken. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Only a device has a path below that of its place. */
export const isKnownDepth = computed(() => path.value.split('/').length <= (place.value === 'devices' ? 2 : 1));

export const query = computed(() => new URL(address.value).searchParams);

/** Returns the URL of a path with `parameters`; empty values are left out, a list repeats its key. */
export function hrefTo(name: string, parameters: Readonly<Record<string, Parameter>> = {}): string {
  // A list of its own: a URL would write its whole text anew for each parameter.
  const list = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') {
        list.append(key, String(item));
      }
    }
  }
  const search = String(list);
  return `${new URL(`./${name}`, base).pathname}${search && `?${search}`}`;
}

export type Parameter = string | number | null | undefined | readonly string[];

/**
 * Goes to another URL; `replace` adds no entry to the browser history. `over`: the parameter that opens something over the view.
 */
export function navigate(target: string, how: 'push' | 'replace' = 'push', over: string | null = null): void {
  if (how === 'replace' || keepsForms(target) || mayLeave(() => go(target, how, over))) {
    go(target, how, over);
  }
}

function go(target: string, how: 'push' | 'replace', over: string | null): void {
  const state = over === null ? null : { over };
  if (how === 'push') {
    history.pushState(state, '', target);
  } else {
    history.replaceState(state, '', target);
  }
  address.value = location.href;
}

/** Whether `target` shows the same forms as now: it differs at most in the period and in a panel. */
function keepsForms(target: string): boolean {
  const [one, other] = [target, address.value].map((href) => {
    const url = new URL(href, base);
    for (const name of ['range', 'from', 'to', 'back', 'panel']) {
      url.searchParams.delete(name);
    }
    return url.href;
  });
  return one === other;
}

/** Returns the parameters of a query for `hrefTo`. */
export function listParameters(of: URLSearchParams): Record<string, readonly string[]> {
  return Object.fromEntries([...of.keys()].map((key) => [key, of.getAll(key)]));
}

/** Returns the current URL with the parameters in `change` replaced; null removes one. */
export function hrefWith(change: Readonly<Record<string, Parameter>>): string {
  return hrefTo(path.value, { ...listParameters(query.value), ...change });
}

/** What was opened over the view with this entry of the browser history; null: nothing. */
const openedOver = () => (history.state as { over: string } | null)?.over ?? null;

/** Opens a drawer or a panel, which the URL names: going back closes it. Another one of the same parameter replaces it. */
export function openOver(parameter: string, value: string): void {
  if (isLeaving) {
    openNext = () => openOver(parameter, value);
    return;
  }
  navigate(hrefWith({ [parameter]: value }), openedOver() === parameter ? 'replace' : 'push', parameter);
}

/** Closes a drawer or a panel: goes back, or changes the URL where the page was entered with it. */
export function closeOver(parameter: string): void {
  if (!query.value.has(parameter) || isLeaving) {
    return;
  }
  if (openedOver() === parameter) {
    isLeaving = true;
    history.back();
  } else {
    navigate(hrefWith({ [parameter]: null }), 'replace');
  }
}
