// A period between two instants, in the time of this browser. What is wrong is said, and what was typed stays.
import { useId, useState } from 'preact/hooks';
import { calendar, now, parseInstant } from '../clock.ts';
import { readText } from '../parts/form.tsx';
import { Modal } from '../parts/modal.tsx';
import { range } from '../state/range.ts';
import { hrefWith, navigate } from '../state/url.ts';
import type { FrameDictionary } from '../text/frame/en.ts';
import { words } from '../text/frame/words.ts';
import { closePanel } from './panel.ts';

type Problem = keyof FrameDictionary['custom']['problems'];

export function CustomRange() {
  const t = words.value.custom;
  const id = useId();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [first] = useState(range.value);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const values = new FormData(form);
    const from = parseInstant(readText(values, 'from'));
    const to = parseInstant(readText(values, 'to'));
    const found = findProblem(from, to);
    setProblem(found);
    if (found === null) {
      // The new period replaces the open panel in the history: going back leads to the period before.
      navigate(hrefWith({ range: null, back: null, panel: null, from, to }), 'replace');
    }
  };
  return (
    <Modal title={t.title} kind="custom-range" close={() => closePanel('period')} closesOutside>
      <form class="form" noValidate onSubmit={submit}>
        {(['from', 'to'] as const).map((name) => (
          <div key={name} class="field">
            <label for={`${id}-${name}`}>{t[name]}</label>
            <input
              id={`${id}-${name}`}
              name={name}
              type="datetime-local"
              defaultValue={toLocalMinute(first[name])}
              aria-invalid={problem !== null}
              aria-describedby={`${id}-problem`}
            />
          </div>
        ))}
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem && t.problems[problem]}
        </p>
        <button type="submit" class="main">
          {t.show}
        </button>
      </form>
    </Modal>
  );
}

function findProblem(from: number, to: number): Problem | null {
  if (Number.isNaN(from) || Number.isNaN(to)) {
    return 'missing';
  }
  if (from >= to) {
    return 'order';
  }
  return to > now() ? 'future' : null;
}

/** Local time as a `datetime-local` field takes it: `2026-07-01T09:30`. */
function toLocalMinute(at: number): string {
  const date = calendar(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.map(two).join('-')}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
