// The first steps of a new hub: what is done, why each matters, and where to do it.
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { unwantedSteps } from '../state/preferences.ts';
import { number } from '../text/format.ts';
import { words } from '../text/start/words.ts';
import type { Step } from './steps.ts';

export type Steps = readonly Step[];

function dismiss(name: string): void {
  unwantedSteps.value = [...unwantedSteps.value, name];
}

export function Checklist({ steps }: { steps: Steps }) {
  const t = words.value;
  if (steps.length === 0) {
    return null;
  }
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Card
      title={t.title}
      kind="checklist"
      aside={<span class="help">{t.progress(number(done), number(steps.length))}</span>}
    >
      <ul class="rows">
        {steps.map(({ name, isDone, href }) => (
          <li key={name}>
            <span>
              <strong>{t.steps[name].title}</strong> <small>{isDone ? t.done : t.open}</small>
              <br />
              <small>{t.steps[name].why}</small>
            </span>
            {isDone ? null : (
              <span class="actions">
                <Link to={href}>{t.steps[name].to}</Link>
                {name === 'agent' ? (
                  <button type="button" class="quiet" onClick={() => dismiss(name)}>
                    {t.unwanted}
                  </button>
                ) : null}
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" class="quiet" onClick={() => dismiss('all')}>
          {t.putAway}
        </button>
      </p>
    </Card>
  );
}
