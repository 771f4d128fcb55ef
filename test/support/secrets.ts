// Texts that look like a secret of real length: nothing that is given away may hold one.

const privateKey = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}/;
/** Of this hub (the zeros are the example of the reference), AWS, AI providers, GitHub. */
const tokens = /\bsvc_(?!0{64})[\w-]{32,}|\bAKIA[0-9A-Z]{16}\b|\bsk-(?:ant-)?[\w-]{24,}|\bgh[ps]_\w{30,}/;

export function holdsSecret(text: string): boolean {
  return privateKey.test(text) || tokens.test(text);
}
