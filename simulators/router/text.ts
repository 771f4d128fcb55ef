// How both vendors write numbers and months.

export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** At least two digits: `7` is `07`. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
