// The URL of the page, which stores the whole state of a view.
import { computed, signal } from '@preact/signals';

const address = signal(location.href);

addEventListener('popstate', () => {
  address.value = location.href;
});

/** The last part of the path, which names the place; empty: the overview. */
export const place = computed(() => new URL(address.value).pathname.split('/').at(-1) ?? '');

export const query = computed(() => new URL(address.value).searchParams);

/** The URL of a place with these parameters; empty ones are left out. */
export function hrefTo(name: string, parameters: Readonly<Record<string, Parameter>> = {}): string {
  const url = new URL(`./${name}`, address.value);
  url.search = '';
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') {
        url.searchParams.append(key, String(one));
      }
    }
  }
  return `${url.pathname}${url.search}`;
}

export type Parameter = string | number | null | undefined | readonly string[];

/** Goes to another URL; `replace` adds no entry to the browser history. */
export function navigate(target: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') {
    history.pushState(null, '', target);
  } else {
    history.replaceState(null, '', target);
  }
  address.value = location.href;
}

/** The URL of this place with some parameters changed; null removes one. */
export function hrefWith(change: Readonly<Record<string, Parameter>>): string {
  const before = Object.fromEntries([...query.value.keys()].map((key) => [key, query.value.getAll(key)]));
  return hrefTo(place.value, { ...before, ...change });
}
