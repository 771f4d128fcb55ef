// The search results as options of the search field, which keeps the focus.
import { words } from '../text/frame/words.ts';
import type { Group } from './find.ts';

interface Props {
  /** Id of the field. The id of an option is this with its index. */
  id: string;
  groups: readonly Group[];
  /** Index of the option that Enter opens. */
  active: number;
  open: (target: string) => void;
  isDimmed: boolean;
}

export function Results({ id, groups, active, open, isDimmed }: Props) {
  const t = words.value.search;
  let before = 0;
  return (
    <div role="listbox" id={`${id}-list`} class="results" aria-label={t.title} aria-busy={isDimmed}>
      {groups.map(({ name, results }) => {
        const first = before;
        before += results.length;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, and no fieldsets.
          <div key={name} role="group" aria-label={t.groups[name]}>
            <p aria-hidden="true">{t.groups[name]}</p>
            {results.map(({ title, more, to }, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys.
              <div
                key={`${to} ${title}`}
                id={`${id}-${first + index}`}
                role="option"
                tabIndex={-1}
                aria-selected={first + index === active}
                onClick={() => open(to)}
              >
                <bdi>{title}</bdi>{' '}
                <small>
                  <bdi>{more}</bdi>
                </small>
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
}
