// A router that plays a capture: it answers with the recorded bytes at the recorded times.
import { type Bundle, countBytes, getBytes } from '#capture/bundle.ts';
import { Dialogue, formatRefusal } from '#capture/dialogue.ts';
import { readBundle } from '#capture/read-bundle.ts';
import type { Latency } from './latency.ts';
import type { RouterKind } from './model.ts';
import { findProfile, profiles, type SshOffer } from './profiles.ts';
import { isReadOnly } from './read-only.ts';
import type { RouterServerOptions } from './router.ts';
import type { Login, Outcome, Vendor } from './vendor.ts';
import { vendors } from './vendors.ts';

/** Adds no delay to the recorded ones. */
const recordedTimes: Latency = { acceptMs: 0, promptMs: 0, tableMs: 0, bytesPerSecond: null, pauses: true };

/** Returns options of `startRouterServer` that play the capture in `folder`. Throws when it is no capture, or one of another kind. */
export function toCapturedRouter(folder: string, kind: RouterKind) {
  const bundle = readBundle(folder);
  const { index } = bundle;
  if (index.kind !== kind) {
    throw new Error(
      `${folder} is a capture of ${index.kind}, and cannot be played by ${kind}: start ${index.kind} with it`,
    );
  }
  return {
    vendor: createCapturedVendor(bundle),
    offer: toOffer(index),
    latency: recordedTimes,
    sessions: 0,
    hosts: 0,
    traffic: false,
    settings: index.natDescriptor === null ? {} : { natDescriptor: Number(index.natDescriptor) },
  } satisfies Partial<RouterServerOptions>;
}

function createCapturedVendor(bundle: Bundle): Vendor {
  const { index } = bundle;
  const dialogues = new WeakMap<Login, Dialogue>();
  const getDialogue = (login: Login): Dialogue => {
    const dialogue = dialogues.get(login) ?? new Dialogue(bundle);
    dialogues.set(login, dialogue);
    return dialogue;
  };
  const vendor = vendors[index.kind]([]);
  return {
    ...vendor,
    greeting: { steps: index.greeting.steps, bytes: getBytes(bundle, index.greeting) },
    newLogin: (user, world) => ({
      ...vendor.newLogin(user, world),
      privileged: isPrivileged(index.greeting.prompt),
    }),
    prompt: (_world, login) => getDialogue(login).prompt,
    // Prompts and answers are bytes already, each one character.
    encoding: () => 'latin1',
    run: (line, world, login) => answerCommand(getDialogue(login), bundle, line, world.credentials.enable, login),
    readOnly: isReadOnly,
  };
}

function isPrivileged(prompt: string): boolean {
  return /# ?$/.test(prompt);
}

function answerCommand(dialogue: Dialogue, bundle: Bundle, line: string, enable: string | null, login: Login): Outcome {
  const refusal = Buffer.from(formatRefusal(bundle.index.kind));
  if (/^(?:exit|quit|logout)$/.test(line.trim())) {
    return { kind: 'close' };
  }
  const exchange = dialogue.takeAnswer(line);
  if (exchange === null) {
    return { kind: 'raw', bytes: refusal };
  }
  const bytes = getBytes(bundle, exchange);
  const { steps, ending } = exchange;
  const at = steps.findIndex((step) => 'typed' in step && step.typed === 'secret');
  const finish = () => {
    dialogue.finishAnswer(exchange);
    login.privileged = isPrivileged(dialogue.prompt);
  };
  if (at < 0) {
    finish();
    return { kind: 'played', bytes, steps, ending };
  }
  const asked = countBytes(steps.slice(0, at));
  return {
    kind: 'secret',
    prompt: Buffer.from(bytes.subarray(0, asked)).toString('latin1'),
    answer: (typed) => {
      if (typed !== enable) {
        return { kind: 'raw', bytes: Buffer.from('% Bad secrets\r\n\r\n') };
      }
      finish();
      return { kind: 'played', ...removeLineEnd(bytes.subarray(asked), steps.slice(at + 1)), ending };
    },
  };
}

/** Removes the line end behind a secret: the terminal prints that one itself. */
function removeLineEnd(bytes: Uint8Array, steps: Extract<Outcome, { kind: 'played' }>['steps']) {
  const [first, ...rest] = steps;
  const isEnd = bytes[0] === 0x0d && bytes[1] === 0x0a;
  if (!isEnd || !first || !('bytes' in first) || first.bytes < 2) {
    return { bytes, steps };
  }
  const left = { ...first, bytes: first.bytes - 2 };
  return { bytes: bytes.subarray(2), steps: left.bytes === 0 ? rest : [left, ...rest] };
}

/** Returns the SSH algorithms of the capture that the simulator has; without any, those of the kind's first dialect. */
function toOffer({ kind, ssh }: Bundle['index']): SshOffer {
  const usual = findProfile(kind).ssh;
  const pick = (what: string, part: 'kex' | 'cipher' | 'hmac'): readonly string[] => {
    const known = new Set(profiles.flatMap((profile) => [...profile.ssh[part]]));
    const offered = (ssh.algorithms[what] ?? []).filter((name) => known.has(name));
    return offered.length === 0 ? usual[part] : offered;
  };
  const methods = (['publickey', 'keyboard-interactive', 'password'] as const).filter((one) =>
    ssh.methods.includes(one),
  );
  const hostKeys = ssh.algorithms['Host key format'] ?? [];
  return {
    ident: ssh.identification.replace(/^SSH-[\d.]+-/, '') || usual.ident,
    kex: pick('KEX method', 'kex'),
    cipher: pick('S->C cipher', 'cipher'),
    hmac: pick('S->C MAC', 'hmac'),
    hostKeyBits: hostKeys.some((name) => name.startsWith('rsa-sha2')) ? 2048 : 1024,
    methods: methods.length === 0 ? usual.methods : methods,
  };
}
