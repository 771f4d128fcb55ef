// Finds the code of a country by its name, in the chosen language or in English.
import { language } from '../state/preferences.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = letters.flatMap((first) => letters.map((second) => first + second));

interface Named {
  /** As it is typed: `UK` and `DD` are old or other codes of `GB` and `DE`. */
  alias: string;
  code: string;
  /** As it is compared. */
  name: string;
}

/** Names by language, for each code that has one. */
const named = new Map<string, readonly Named[]>();

function listCountryNames(locale: string) {
  const known = named.get(locale);
  if (known) {
    return known;
  }
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const made = codes.flatMap((alias) => {
    const name = names.of(alias);
    const code = new Intl.Locale(`und-${alias}`).region ?? alias;
    return name === undefined ? [] : [{ alias, code, name: simplify(name) }];
  });
  named.set(locale, made);
  return made;
}

/** Lower case, without accents: `Türkiye` is found by `turkiye`. */
const simplify = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .trim();

/** The code of the country whose code or name is `typed`, else whose name begins with it, else contains it; null: none. */
export function findCountry(typed: string): string | null {
  const wanted = simplify(typed);
  const names = [...new Set([language.value, 'en'])].flatMap(listCountryNames);
  const found =
    wanted === ''
      ? undefined
      : (names.find(({ alias, name }) => name === wanted || alias.toLowerCase() === wanted) ??
        names.find(({ name }) => name.startsWith(wanted)) ??
        names.find(({ name }) => name.includes(wanted)));
  return found?.code ?? null;
}

/** Whether the code or a name of the country contains `typed`. */
export function isNamed(country: string, typed: string): boolean {
  const wanted = simplify(typed);
  return (
    country.toLowerCase() === wanted ||
    [language.value, 'en'].some((locale) =>
      listCountryNames(locale).some(({ code, name }) => code === country && name.includes(wanted)),
    )
  );
}
