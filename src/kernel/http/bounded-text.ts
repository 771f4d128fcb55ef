// The text of another's answer, which may be longer than anybody wants to keep.

/** The whole body as UTF-8; `null` as soon as it has more than `maxBytes`. Rejects as `body` does. */
export async function boundedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
