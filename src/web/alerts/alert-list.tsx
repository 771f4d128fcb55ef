// The alerts as rows that can be selected and worked on.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AlertRow } from '../parts/alert-row.tsx';
import { AlertTitle } from '../parts/alert-title.tsx';
import { Choice } from '../parts/choice.tsx';
import type { Alert } from '../state/alerts.ts';
import { hrefWith } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { number } from '../text/format.ts';
import { asked, done, mostAtOnce, selected } from './act.ts';
import { ActionButtons } from './action-buttons.tsx';
import { useAlertKeys } from './alert-keys.ts';
import { AlertState } from './alert-state.tsx';

interface Props {
  alerts: readonly Alert[];
  isDimmed: boolean;
  /** A drawer is open, which has the keys. */
  isBelow: boolean;
  /** The row that has the focus, or had it last. */
  position: RefObject<number>;
}

export function AlertList({ alerts, isDimmed, isBelow, position }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const rows = () => [...(list.current?.children ?? [])];
  const focused = () => rows().findIndex((row) => row.contains(document.activeElement));
  const focus = (index: number) => {
    const row = rows()[Math.max(0, Math.min(index, alerts.length - 1))];
    const target =
      row?.querySelector<HTMLElement>('.alert-title a') ?? document.querySelector<HTMLElement>('.done-bar .main');
    target?.focus();
  };
  const handled = useRef<object | null>(null);
  // A row that is handled leaves the list with its focus: the next one gets it, once for each action.
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body && asked.value === null && !isBelow;
    if (isLost && done.value !== null && done.value !== handled.current) {
      handled.current = done.value;
      focus(position.current ?? 0);
    }
  }, [alerts, asked.value, isBelow]);
  const chosen = alerts.filter(({ id }) => selected.value.has(id));
  useAlertKeys({
    isOn: !isBelow,
    targets: () => (chosen.length > 0 ? chosen : alerts.slice(focused(), focused() + 1)),
    move: (step) => focus(focused() === -1 ? (position.current ?? 0) : focused() + step),
  });
  return (
    <>
      {alerts.length > 0 ? <Selection alerts={alerts} chosen={chosen} /> : null}
      <ul
        ref={list}
        class={`card alerts ${isDimmed ? 'dimmed' : ''}`}
        aria-busy={isDimmed}
        onFocusIn={() => {
          position.current = focused();
        }}
      >
        {alerts.map((alert) => (
          <Row key={alert.id} alert={alert} />
        ))}
      </ul>
    </>
  );
}

function Row({ alert }: { alert: Alert }) {
  const { id } = alert;
  const choose = (isChosen: boolean) => {
    const others = [...selected.value].filter((one) => one !== id);
    selected.value = new Set(isChosen ? [...others, id] : others);
  };
  return (
    <AlertRow
      alert={alert}
      to={hrefWith({ alert: String(id) })}
      over="alert"
      before={
        <Choice type="checkbox" kind="choice" isChosen={selected.value.has(id)} choose={choose}>
          <span class="spoken">
            {words.value.selectOne} <AlertTitle alert={alert} />
          </span>
        </Choice>
      }
      about={<AlertState alert={alert} />}
    >
      <ActionButtons alerts={[alert]} />
    </AlertRow>
  );
}

function Selection({ alerts, chosen }: { alerts: readonly Alert[]; chosen: readonly Alert[] }) {
  const t = words.value;
  const most = alerts.slice(0, mostAtOnce);
  return (
    <div class="selection">
      <Choice
        type="checkbox"
        isChosen={chosen.length >= most.length}
        choose={(isChosen) => {
          selected.value = new Set(isChosen ? most.map(({ id }) => id) : []);
        }}
      >
        {chosen.length === 0 ? t.selectAll : t.selected(number(chosen.length))}
      </Choice>
      {chosen.length === 0 ? null : <ActionButtons alerts={chosen} hasAll />}
    </div>
  );
}
