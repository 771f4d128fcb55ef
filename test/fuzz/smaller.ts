// Makes an input that fails smaller, half by half and then byte by byte (delta debugging), as long as it fails alike.

/** At most `most` tries; `fails` says whether a smaller one is still as wrong. */
export async function smaller(input: Buffer, fails: (input: Buffer) => Promise<boolean>, most = 3000): Promise<Buffer> {
  let best = input;
  let tries = 0;
  let length = Math.ceil(best.length / 2);
  while (length >= 1 && tries < most) {
    const before = best.length;
    for (let at = 0; at < best.length && tries < most; tries += 1) {
      const next = Buffer.concat([best.subarray(0, at), best.subarray(at + length)]);
      if (await fails(next)) {
        best = next;
      } else {
        at += length;
      }
    }
    length = length === 1 && best.length === before ? 0 : Math.max(1, Math.floor(length / 2));
  }
  return best;
}
