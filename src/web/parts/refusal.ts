// Says why the hub refused, in the language of the page.

/** What an ApiError says. `seconds` of `details`: when to try again. */
export interface Refusal {
  /** `page`: the page itself refused, with a message in its language. `unreachable`: the hub did not answer. */
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
}

export interface RefusalWords {
  /** Refusals of the API by code; `seconds` until it may be tried again, empty where that is not known. */
  refusals: Readonly<Record<string, (seconds: string) => string>>;
  /** Refusals by code whose reason only the hub's sentence has: it follows. */
  explained: Readonly<Record<string, string>>;
  /** Says that the hub refused something; its own sentence follows. For codes that the others lack. */
  refused?: string;
}

type PageWords = Readonly<Record<'unreachable' | 'unreachableHelp' | 'forbiddenAction' | 'forbiddenHelp', string>>;

/** Whether a right is missing. Other refusals with the status 403 have another reason. */
export function isForbidden({ code }: Pick<Refusal, 'code'>): boolean {
  return code === 'forbidden';
}

/** A sentence, and what only the hub's English sentence says; empty where that is nothing. */
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
  return [begun, begun === whole || begun === message ? '' : message];
}
