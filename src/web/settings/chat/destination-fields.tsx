// The fields of a destination by its kind, and how they become the settings that the hub takes.
import type { SentDestinationSettings } from '#contract/destinations.ts';
import { CheckField, ChoiceField, LinesField, NumberField, SecretField, TextField } from '../../parts/fields.tsx';
import { readSecret, readText } from '../../parts/form.tsx';
import { words } from '../../text/settings/words.ts';
import type { Destination } from './destination-row.tsx';

export type Kind = Destination['settings']['kind'];
type Stored = Destination['settings'] | undefined;

/** Fields have the names that a refusal of the hub has. */
const of = (member: string) => `settings.${member}`;
const pick = <K extends Kind>(stored: Stored, kind: K) =>
  stored?.kind === kind ? (stored as Extract<Destination['settings'], { kind: K }>) : undefined;

export function DestinationFields({ kind, stored }: { kind: Kind; stored: Stored }) {
  const t = words.value.destinations;
  const fields = { webhook: WebhookFields, mqtt: MqttFields, email: EmailFields };
  const Fields = fields[kind];
  return (
    <>
      <Fields stored={stored} />
      <CheckField
        name={of('allowPrivate')}
        label={t.allowPrivate}
        help={t.allowPrivateHelp}
        isOn={stored?.allowPrivate ?? false}
      />
    </>
  );
}

function WebhookFields({ stored }: { stored: Stored }) {
  const t = words.value.destinations;
  const known = pick(stored, 'webhook');
  return (
    <>
      <ChoiceField
        name={of('preset')}
        label={t.preset}
        value={known?.preset ?? 'json'}
        choices={listChoices(t.presets)}
      />
      <TextField name={of('url')} label={t.url} help={t.urlHelp} required value={known?.url ?? ''} />
      <SecretField
        name={of('secret')}
        label={t.secret}
        help={t.secretHelp}
        {...(known && { isSet: known.secretSet })}
      />
      <TextField name={of('to')} label={t.chatOrUser} help={t.chatOrUserHelp} value={known?.to ?? ''} />
    </>
  );
}

function MqttFields({ stored }: { stored: Stored }) {
  const t = words.value.destinations;
  const known = pick(stored, 'mqtt');
  return (
    <>
      <Server host={known?.host} port={known?.port ?? 1883} />
      <CheckField name={of('tls')} label={t.tls} isOn={known?.tls ?? false} />
      <LinesField name={of('ca')} label={t.ca} value={known?.ca ? known.ca.split('\n') : []} />
      <Login user={known?.user} isSet={known?.secretSet} />
      <TextField name={of('topic')} label={t.topic} required value={known?.topic ?? 'gatehouse'} />
      <CheckField name={of('discovery')} label={t.discovery} isOn={known?.discovery ?? true} />
    </>
  );
}

function EmailFields({ stored }: { stored: Stored }) {
  const t = words.value.destinations;
  const known = pick(stored, 'email');
  const security = known?.security ?? 'starttls';
  return (
    <>
      <Server host={known?.host} port={known?.port ?? 587} />
      <ChoiceField name={of('security')} label={t.security} value={security} choices={listChoices(t.securities)} />
      <Login user={known?.user} isSet={known?.secretSet} />
      <TextField name={of('from')} label={t.sender} required value={known?.from ?? ''} />
      <LinesField name={of('to')} label={t.recipients} value={known?.to ?? []} />
    </>
  );
}

function Server({ host = '', port }: { host?: string | undefined; port: number }) {
  const t = words.value.destinations;
  return (
    <>
      <TextField name={of('host')} label={t.host} required autocomplete="off" value={host} />
      <NumberField name={of('port')} label={t.port} min={1} max={65_535} value={port} />
    </>
  );
}

function Login({ user = '', isSet }: { user?: string | undefined; isSet: boolean | undefined }) {
  const t = words.value.destinations;
  return (
    <>
      <TextField name={of('user')} label={t.user} autocomplete="off" value={user} />
      <SecretField name={of('password')} label={t.password} {...(isSet === undefined ? {} : { isSet })} />
    </>
  );
}

function listChoices(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

/** What was typed; a secret that was left empty and an address that is shown without its path are absent. */
export function readSettings(values: FormData, kind: Kind, stored: Stored): SentDestinationSettings {
  const text = (member: string) => readText(values, of(member));
  const allowPrivate = values.has(of('allowPrivate'));
  const lines = (member: string) =>
    text(member)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const password = readSecret(values, of('password'));
  const login = { user: text('user'), ...(password === undefined ? {} : { password }) };
  const server = { host: text('host'), port: Number(text('port')), ...login, allowPrivate };
  switch (kind) {
    case 'webhook': {
      const secret = readSecret(values, of('secret'));
      const isUrlKept = text('url') === pick(stored, 'webhook')?.url;
      const preset = text('preset') as keyof typeof words.value.destinations.presets;
      const kept = { ...(isUrlKept ? {} : { url: text('url') }), ...(secret === undefined ? {} : { secret }) };
      return { kind, preset, to: text('to'), allowPrivate, ...kept };
    }
    case 'mqtt': {
      const [tls, discovery] = [values.has(of('tls')), values.has(of('discovery'))];
      return { kind, ...server, tls, discovery, ca: text('ca'), topic: text('topic') };
    }
    case 'email': {
      const security = text('security') as keyof typeof words.value.destinations.securities;
      return { kind, ...server, security, from: text('from'), to: lines('to') };
    }
  }
}
