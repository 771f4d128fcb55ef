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
  /** Sentences for refusals, by code, of which only the hub knows the reason. The page shows the hub's sentence behind them. */
  explained: Readonly<Record<string, string>>;
  /** For all other codes: says that the hub refused. The page shows the hub's sentence behind it. */
  refused?: string;
}

type PageWords = Readonly<Record<'unreachable' | 'unreachableHelp' | 'forbiddenAction' | 'forbiddenHelp', string>>;

/** Whether a right is missing. Other refusals with the status 403 have another reason. */
export function isForbidden({ code }: Pick<Refusal, 'code'>): boolean {
  return code === 'forbidden';
}

/** Returns a sentence in the language of the page, and the hub's English one where it says more, else an empty text. */
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
