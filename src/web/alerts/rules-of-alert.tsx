// The rules that cover an alert, with a link to all of them.
import { useDevices } from '../devices/names.ts';
import { Link } from '../parts/link.tsx';
import { hrefWith } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { noFilter } from './inbox.ts';
import { describeEnd, describeRule, type Rule } from './rule-words.ts';

export function RulesOfAlert({ rules }: { rules: readonly Rule[] }) {
  const t = words.value;
  const devices = useDevices().value?.devices;
  if (rules.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{t.rulesOfAlert}</h3>
      <ul class="rows">
        {rules.map((rule) => (
          <li key={rule.id}>
            <span>
              {t.rules.effects[rule.effect]}: {describeRule(rule, devices)}
              <small>{describeEnd(rule.until)}</small>
            </span>
          </li>
        ))}
      </ul>
      <p>
        <Link to={hrefWith({ ...noFilter, alert: null, view: 'rules' })}>{t.toRules}</Link>
      </p>
    </section>
  );
}
