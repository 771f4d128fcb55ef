// Entity tags (RFC 9110 §8.8.3).

/** Whether the value of If-None-Match matches: it is `*`, or lists the tag (weak comparison, RFC 9110 §13.1.2). */
export function isTagListed(tag: string, header = ''): boolean {
  const toOpaque = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => toOpaque(one) === toOpaque(tag));
}
