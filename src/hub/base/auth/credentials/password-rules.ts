// Which new login passwords are refused although they are long enough: the ones a guesser tries first.
import { randomText } from '#kernel/text/secret.ts';
import { createStatement, type Statement } from '../../statements.ts';

/** Words that leaked passwords are built from. Digits and signs around them do not make them safe. */
const commonWords = [
  'administrator',
  'administration',
  'password',
  'passwort',
  'passw0rd',
  'p@ssw0rd',
  'letmein',
  'welcome',
  'changeme',
  'default',
  'iloveyou',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'batman',
  'dragon',
  'monkey',
  'secret',
  'trustno1',
  'gatehouse',
  'monitor',
  'router',
  'yamaha',
  'cisco',
];

const walks = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujmikolp',
];

/** Different characters that must be left when common words and walks over the keyboard are taken out. */
const ownCharacters = 3;

/** Why `password` must not be used: the sentence lacks its subject. Null when it may be used. */
export function passwordWeakness(password: string): Statement | null {
  const text = password.toLowerCase();
  if (new Set(text).size < 5 || /^(.{1,6})\1+.{0,5}$/su.test(text)) {
    return createStatement('password_repeats', 'must not repeat the same few characters');
  }
  let rest = text;
  for (const word of commonWords) {
    rest = rest.replaceAll(word, ' ');
  }
  rest = withoutWalks(rest).replace(/[\d\s\p{P}\p{S}]{1,8}$|^[\d\s\p{P}\p{S}]{1,8}/gu, '');
  return new Set(rest.replaceAll(' ', '')).size < ownCharacters
    ? createStatement(
        'password_common',
        'must not be made of common words, digits in order or neighbours on the keyboard',
      )
    : null;
}

/** `text` without pieces of four or more characters that walk along the alphabet, the digits or the keyboard. */
function withoutWalks(text: string): string {
  const steps = walks.flatMap((walk) => [walk, [...walk].reverse().join('')]);
  let kept = '';
  for (let at = 0; at < text.length; ) {
    let length = 4;
    while (at + length <= text.length && steps.some((walk) => walk.includes(text.slice(at, at + length)))) {
      length += 1;
    }
    if (length > 4) {
      at += length - 1;
      kept += ' ';
    } else {
      kept += text[at];
      at += 1;
    }
  }
  return kept;
}

const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';

/** 16 random characters, none of which looks like another: 93 bits. */
export function createPassword(): string {
  return randomText(alphabet, 16);
}
