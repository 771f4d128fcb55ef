// The actions on one alert, or on several. Without the permission they are disabled, and say why.
import { alertTitle } from '../parts/alert-words.ts';
import type { Alert } from '../state/alerts.ts';
import { may } from '../state/session.ts';
import { words } from '../text/alerts/words.ts';
import { number } from '../text/format.ts';
import { type ActionName, actionsOf, begin, fitting } from './act.ts';

interface Props {
  alerts: readonly Alert[];
  /** All actions, whatever the states are. */
  hasAll?: boolean;
}

export function ActionButtons({ alerts, hasAll = false }: Props) {
  const t = words.value;
  const mayAct = may('alerts.write');
  const [first] = alerts;
  const names = first === undefined || hasAll ? (Object.keys(t.actions) as ActionName[]) : actionsOf[first.state];
  const what = describeAlerts(alerts);
  return (
    <fieldset class="actions alert-actions" aria-label={t.actionsLabel}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          disabled={!mayAct || fitting(name, alerts).length === 0}
          aria-label={`${t.actions[name]}: ${what}`}
          {...(mayAct ? {} : { title: t.mayNot, 'aria-describedby': mayNotId })}
          onClick={() => void begin(name, alerts)}
        >
          {t.actions[name]}
        </button>
      ))}
    </fieldset>
  );
}

const mayNotId = 'alerts-may-not';

/** Why the actions are disabled; nothing when they are not. */
export function MayNot() {
  return may('alerts.write') ? null : (
    <p class="empty" id={mayNotId}>
      {words.value.mayNot}
    </p>
  );
}

/** The title of the only alert, or how many there are. */
export function describeAlerts(alerts: readonly Alert[]): string {
  const [only, other] = alerts;
  return only !== undefined && other === undefined
    ? alertTitle(only)
    : words.value.alertCount(alerts.length, number(alerts.length));
}
