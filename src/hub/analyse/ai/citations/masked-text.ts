// A text whose parts are claimed one after the other: what is claimed is not read again, and no offset moves.

/** Stands for what is claimed: no letter, no digit, no space. */
const claimedUnit = '\u0001';

/** Full-width ASCII as ASCII and the ideographic space as a space: one UTF-16 unit each, so that offsets stay. */
export function toHalfWidth(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) - 0xfee0))
    .replace(/\u3000/g, ' ');
}

export class MaskedText {
  /** What is left: `claimedUnit` where something was claimed. */
  rest: string;

  constructor(text: string) {
    this.rest = toHalfWidth(text);
  }

  /** Claims each match for which `visit` returns true. */
  claim(pattern: RegExp, visit: (match: RegExpExecArray) => boolean): void {
    const before = this.rest;
    let done = '';
    let last = 0;
    for (const match of before.matchAll(pattern)) {
      const length = visit(match) ? match[0].length : 0;
      done += before.slice(last, match.index) + claimedUnit.repeat(length);
      last = match.index + length;
    }
    this.rest = done + before.slice(last);
  }
}
