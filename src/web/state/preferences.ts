// What this browser remembers of a person's choices: language, theme, how the log looks, and the views that were saved.
import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
export const languages = ['en', 'ja'] as const;
export type Language = (typeof languages)[number];
export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

function remembered<T extends string>(key: string, choices: readonly T[], fallback: T): T {
  const stored = read(key);
  return choices.find((choice) => choice === stored) ?? fallback;
}

/** Null when the browser forbids it. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(`gatehouse.${key}`);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(`gatehouse.${key}`, value);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

export const theme = signal<Theme>(remembered('theme', themes, 'system'));
export const language = signal<Language>(
  remembered('language', languages, navigator.language.startsWith('ja') ? 'ja' : 'en'),
);
export const density = signal<Density>(remembered('density', densities, 'comfortable'));
/** Columns of the log by name; empty: the default for the screen. */
export const logColumns = signal<readonly string[]>(read('columns')?.split(',').filter(Boolean) ?? []);
/** Chosen widths of columns of the log (`column-widths.ts`). */
export const logWidths = signal(read('widths') ?? '');
/** Saved views of the log as JSON (`saved-views.ts`). Another tab may change them. */
export const logViews = signal(read('views') ?? '');
addEventListener('storage', () => {
  logViews.value = read('views') ?? logViews.value;
});
/** Whether the log has a row of filters under its headings. */
export const hasFilterRow = signal(read('filter-row') === 'true');
/** What a person does not want of the first start: `all` puts its list away, `agent` only the line of the Agent. */
export const unwantedSteps = signal<readonly string[]>(read('unwanted-steps')?.split(',').filter(Boolean) ?? []);

effect(() => write('unwanted-steps', unwantedSteps.value.join()));
effect(() => write('density', density.value));
effect(() => write('columns', logColumns.value.join()));
effect(() => write('widths', logWidths.value));
effect(() => write('views', logViews.value));
effect(() => write('filter-row', String(hasFilterRow.value)));
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  write('theme', theme.value);
});
effect(() => {
  document.documentElement.lang = language.value;
  write('language', language.value);
});
