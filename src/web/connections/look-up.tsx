// Asks reputation services about an address, on request only. Says first what is sent to whom.
import { useState } from 'preact/hooks';
import type { ProviderName } from '#contract/threat.ts';
import { ask } from '../api/client.ts';
import { Choice } from '../parts/choice.tsx';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { Permitted } from '../parts/permitted.tsx';
import { useAction } from '../state/action.ts';
import { useAsked } from '../state/loaded.ts';
import { may } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { words } from '../text/log/words.ts';
import { type Answers, LookUpAnswer } from './look-up-answer.tsx';

export function LookUp({ address }: { address: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!may('settings.write')) {
    return (
      <Permitted needs="settings.write">
        <button type="button">{words.value.lookUp.title}</button>
      </Permitted>
    );
  }
  return (
    <details class="look-up" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.value.lookUp.title}</summary>
      {isOpen ? <Question address={address} /> : null}
    </details>
  );
}

function Question({ address }: { address: string }) {
  const t = words.value.lookUp;
  const names = Object.keys(t.names) as ProviderName[];
  const { value, error, reload } = useAsked('GET /api/config/manual-threat', {});
  const [chosen, setChosen] = useState<readonly ProviderName[] | null>(null);
  const [answers, setAnswers] = useState<Answers>({});
  const action = useAction();
  if (error) {
    return <Failure error={error} reload={reload} />;
  }
  if (value === null) {
    return null;
  }
  const withKey = names.filter((name) => value.providers[name].keySet);
  const asked = chosen ?? withKey;
  const send = () =>
    action.run(async () => {
      const body = { ip: address, providers: withKey.filter((name) => asked.includes(name)) };
      const { results } = await ask('POST /api/threat/manual-lookup', { body });
      setAnswers((before) => ({ ...before, ...results }));
    });
  return (
    <>
      <p>{t.dataSent(address)}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            {withKey.includes(name) ? (
              <Choice
                type="checkbox"
                isChosen={asked.includes(name)}
                choose={(isChosen) => setChosen(isChosen ? [...asked, name] : asked.filter((one) => one !== name))}
              >
                {t.recipients[name]}
              </Choice>
            ) : (
              <p>
                {t.names[name]}: {t.noKey}{' '}
                <Link to={hrefTo('settings', { section: 'feeds' })}>
                  {t.addKey}
                  <span class="spoken">: {t.names[name]}</span>
                </Link>
              </p>
            )}
          </li>
        ))}
      </ul>
      {withKey.length === 0 ? null : (
        <button
          type="button"
          disabled={action.isBusy || asked.length === 0}
          aria-busy={action.isBusy}
          onClick={() => void send()}
        >
          {asked.length === 0 ? t.chooseService : t.sendAddress(address)}
        </button>
      )}
      <Outcome action={action} />
      <div aria-live="polite">
        {names.map((name) => {
          const answer = answers[name];
          return answer ? <LookUpAnswer key={name} name={name} answer={answer} /> : null;
        })}
      </div>
    </>
  );
}
