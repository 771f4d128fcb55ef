// The fields of a router, for adding and editing one, and what they say.
import type { RouterKind } from '#contract/routers.ts';
import { CheckField, NumberField, SecretField, TextField } from '../../parts/fields.tsx';
import { readSecret, readText } from '../../parts/form.tsx';
import type { Router } from '../../state/routers.ts';
import { words } from '../../text/settings/words.ts';

interface Props {
  kind: RouterKind;
  /** What is stored; absent for a new one. */
  router?: Router;
}

export function RouterFields({ kind, router }: Props) {
  const t = words.value.routers;
  return (
    <>
      <TextField name="displayName" label={t.name} help={t.nameHelp} maxLength={80} value={router?.displayName ?? ''} />
      <TextField name="ip" label={t.ip} help={t.ipHelp} required autocomplete="off" value={router?.ip ?? ''} />
      <NumberField name="port" label={t.port} min={1} max={65_535} value={router?.port ?? 22} />
      <TextField name="user" label={t.user} required autocomplete="off" value={router?.user ?? ''} />
      <SecretField
        name="pass"
        label={t.pass}
        required={router === undefined}
        {...(router === undefined ? {} : { isSet: router.passSet, help: t.moved })}
      />
      {kind === 'vendor_b' ? (
        <SecretField
          name="enablePass"
          label={t.enablePass}
          help={t.enablePassHelp}
          {...(router === undefined ? {} : { isSet: router.enablePassSet })}
        />
      ) : null}
      {kind === 'vendor_b' && router?.enablePassSet ? (
        <CheckField name="clearEnable" label={t.clearEnable} isOn={false} />
      ) : null}
      <CheckField
        name="legacyAlgorithms"
        label={t.legacy}
        help={t.legacyHelp}
        isOn={router?.legacyAlgorithms ?? false}
      />
    </>
  );
}

/** What was typed; a secret that was left empty is absent. */
export function readRouterFields(values: FormData) {
  const pass = readSecret(values, 'pass');
  const enablePass = readSecret(values, 'enablePass');
  return {
    displayName: readText(values, 'displayName'),
    ip: readText(values, 'ip'),
    port: Number(readText(values, 'port')),
    user: readText(values, 'user'),
    legacyAlgorithms: values.has('legacyAlgorithms'),
    ...(pass === undefined ? {} : { pass }),
    ...(enablePass === undefined ? {} : { enablePass }),
  };
}
