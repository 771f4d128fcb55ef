// Shows what a router test found, and saves the router with the host key that is shown.
import { ask } from '../../api/client.ts';
import { Group, TextField } from '../../parts/fields.tsx';
import { Form, readText } from '../../parts/form.tsx';
import { isolateName, joinWithDots } from '../../parts/outside.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import type { Definition, Detection } from './definition.ts';
import { Fingerprint } from './host-key-change.tsx';
import { RouterNotes } from './router-notes.tsx';

interface Props {
  definition: Definition;
  found: Detection;
  back: () => void;
  /** Called after the save, with the display name of the router. */
  saved: (name: string) => void;
}

export function RouterTestResult({ definition, found, back, saved }: Props) {
  const t = words.value.routers;
  const { hostFp, hostName, model, lan, nat, os } = found;
  const save = async (values: FormData) => {
    const chosen = definition.kind === 'vendor_a' ? { nat: readText(values, 'nat') } : {};
    const { router } = await ask('POST /api/routers', { body: { ...definition, ...chosen, hostFp } });
    saved(router.displayName);
  };
  const facts = [
    [t.model, joinWithDots([model, os?.version])],
    [t.hostName, hostName],
    [t.lan, lan.ip],
    [t.sessionsRead, nat.sessionsOk ? t.sessionCount(nat.sessions, number(nat.sessions)) : t.noSessions],
  ] as const;
  return (
    <Form
      submit={t.addIt}
      save={save}
      more={
        <button type="button" onClick={back}>
          {t.back}
        </button>
      }
    >
      <p class="done" role="status">
        {t.tested}
      </p>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
        )}
        <div>
          <dt>{t.fingerprint}</dt>
          <dd>
            <Fingerprint value={hostFp} />
            <small>{t.fingerprintHelp}</small>
          </dd>
        </div>
      </dl>
      <RouterNotes notes={found.notes} noteFacts={found.noteFacts} />
      {definition.kind === 'vendor_a' ? <NatDescriptorField found={found} /> : null}
    </Form>
  );
}

/** Asks for the number of the NAT descriptor, unless the test found exactly one. */
function NatDescriptorField({ found: { nat, diag } }: { found: Detection }) {
  const t = words.value.routers;
  const { candidates = [] } = nat;
  const [only, second] = candidates;
  if (only === undefined) {
    return <TextField name="nat" label={t.nat} help={t.noNat} inputMode="numeric" pattern="[0-9]+" required />;
  }
  if (second === undefined) {
    return <input type="hidden" name="nat" value={only} />;
  }
  return (
    <Group label={t.chooseNat}>
      {candidates.map((candidate) => {
        const details = diag.natCandidates?.find((one) => one.candidate === candidate);
        const { interfaceName = '', sessions = 0 } = details ?? {};
        return (
          <label key={candidate} class="choice">
            <input type="radio" name="nat" value={candidate} required />
            {t.natChoice(candidate, interfaceName && isolateName(interfaceName), sessions, number(sessions))}
          </label>
        );
      })}
    </Group>
  );
}
