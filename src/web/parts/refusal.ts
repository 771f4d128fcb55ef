// Says why the hub refused, in the language of the page.

/** A request that was refused, as an ApiError has it. `details.seconds`, where it is there, is how long to wait. */
export interface Refusal {
  /** A code of the API; `page` when the page refused by itself, with a message in its language; `unreachable` without an answer. */
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
}

export interface RefusalWords {
  /** Refusals of the API by code; `seconds` until it may be tried again, empty where that is not known. */
  refusals: Readonly<Record<string, (seconds: string) => string>>;
  /** Sentences for refusals that have several reasons, by code. What `describeDetails` says follows, or the hub's sentence. */
  explained: Readonly<Record<string, string>>;
  /** For all other codes: says that the hub refused. The reason follows as for `explained`. */
  refused?: string;
  /** The reason by the other members of the answer; empty where it has no code for it that this language has words for. */
  describeDetails?: (details: Refusal['details']) => readonly { sentence: string; detail: string }[];
}

type PageWords = Readonly<Record<'unreachable' | 'unreachableHelp' | 'forbiddenAction' | 'forbiddenHelp', string>>;

/** Whether a right is missing. Other refusals with the status 403 have another reason. */
export function isForbidden({ code }: Pick<Refusal, 'code'>): boolean {
  return code === 'forbidden';
}

/** Returns sentences in the language of the page, and what only others' words say, else an empty text. */
export function describeRefusal(
  error: Refusal,
  page: PageWords,
  hub: RefusalWords,
): [sentence: string, detail: string] {
  const { code, message, details } = error;
  if (code === 'unreachable') {
    return [`${page.unreachable} ${page.unreachableHelp}`, ''];
  }
  if (isForbidden(error)) {
    return [`${page.forbiddenAction} ${page.forbiddenHelp}`, ''];
  }
  const whole = code === 'page' ? message : hub.refusals[code]?.(String(details.seconds ?? ''));
  const begun = whole ?? hub.explained[code] ?? hub.refused ?? message;
  if (begun === whole || begun === message) {
    return [begun, ''];
  }
  const reason = describeReason(details, hub);
  return reason === null ? [begun, `(${message})`] : [begun + reason[0], reason[1]];
}

/** The reason alone, as sentences and what only others' words say; null where the page has no words for it. */
export function describeReason(
  details: Refusal['details'],
  { describeDetails }: RefusalWords,
): [sentence: string, detail: string] | null {
  const reasons = describeDetails?.(details) ?? [];
  return reasons.length === 0
    ? null
    : [reasons.map(({ sentence }) => sentence).join(''), reasons.map(({ detail }) => detail).join('')];
}
