// Adds a router in three steps: prepare it, say how to log in, look at what a test found and save it.

import { useState } from 'preact/hooks';
import type { RouterKind } from '#contract/routers.ts';
import { ApiError, ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Form } from '../../parts/form.tsx';
import { useTitle } from '../../state/title.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { AddedRouter } from './added.tsx';
import type { Definition, Detection } from './definition.ts';
import { guides } from './guides.ts';
import { RouterFields, readRouterFields } from './router-fields.tsx';
import { RouterTestResult } from './router-test-result.tsx';
import { failedTest, TestFailure } from './test-failure.tsx';

/** The login step stays in the page while hidden, so that going back keeps what was typed. */
type Step = 'prepare' | 'login' | 'check' | 'added';
const order: readonly Step[] = ['prepare', 'login', 'check'];

export function AddRouter({ leave }: { leave: () => void }) {
  const t = words.value.routers;
  useTitle(t.add);
  const [kind, setKind] = useState<RouterKind>('vendor_a');
  const [step, setStep] = useState<Step>('prepare');
  const [tested, setTested] = useState<{ definition: Definition; found: Detection } | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [name, setName] = useState('');
  const test = async (values: FormData) => {
    const definition = { ...readRouterFields(values), kind, pass: String(values.get('pass')) };
    setFailure(null);
    try {
      setTested({ definition, found: await ask('POST /api/routers/detect', { body: definition }) });
      setStep('check');
    } catch (error) {
      if (error instanceof ApiError && failedTest(error) !== null) {
        setFailure(error);
        return;
      }
      throw error;
    }
  };
  if (step === 'added') {
    return <AddedRouter name={name} leave={leave} />;
  }
  const at = order.indexOf(step);
  return (
    <Card title={t.step(number(at + 1), number(order.length), t.steps[at] ?? '')}>
      <p class="spoken" role="status">
        {t.step(number(at + 1), number(order.length), t.steps[at] ?? '')}
      </p>
      {step === 'prepare' ? <Prepare kind={kind} choose={setKind} next={() => setStep('login')} leave={leave} /> : null}
      <div hidden={step !== 'login'}>
        <Form
          submit={t.test}
          save={test}
          keepsSecrets
          more={
            <button type="button" onClick={() => setStep('prepare')}>
              {t.back}
            </button>
          }
        >
          <RouterFields kind={kind} />
          <p class="help">{t.testHelp}</p>
        </Form>
        {failure ? <TestFailure error={failure} /> : null}
      </div>
      {step === 'check' && tested ? (
        <RouterTestResult
          {...tested}
          back={() => setStep('login')}
          saved={(saved) => {
            setName(saved);
            setStep('added');
          }}
        />
      ) : null}
    </Card>
  );
}

interface PrepareProps {
  kind: RouterKind;
  choose: (kind: RouterKind) => void;
  next: () => void;
  leave: () => void;
}

function Prepare({ kind, choose, next, leave }: PrepareProps) {
  const t = words.value.routers;
  return (
    <div class="form">
      <fieldset>
        <legend>{t.kind}</legend>
        {(Object.keys(guides) as RouterKind[]).map((one) => (
          <Choice key={one} type="radio" name="kind" isChosen={one === kind} choose={() => choose(one)}>
            {t.kinds[one]}
          </Choice>
        ))}
      </fieldset>
      <h3>{t.typeThese}</h3>
      <pre class="commands">{guides[kind].join('\n')}</pre>
      <p class="help">{t.placeholders}</p>
      <ul class="hints">
        {t.guides[kind].map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" class="main" onClick={next}>
          {t.next}
        </button>
        <button type="button" onClick={leave}>
          {t.back}
        </button>
      </p>
    </div>
  );
}
