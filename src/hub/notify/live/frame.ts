// One server-sent event as bytes. JSON text holds no line break, so its data is always one line.

export interface Frame {
  event: string;
  data: unknown;
  /** What the reader sends as `Last-Event-ID` after it. */
  id?: string;
  /** How long a browser waits before it comes again. */
  retryMs?: number;
}

export function eventFrame({ event, data, id, retryMs }: Frame): Buffer {
  const lines = [
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${event}`,
    `data: ${JSON.stringify(data)}`,
  ];
  const text = `${lines.join('\n')}\n\n`;
  // The ring holds it for long: a slice of the pool of Node would hold the 64 KiB around it as well.
  const frame = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  frame.write(text);
  return frame;
}

/** A comment: it keeps proxies from taking a silent stream for a dead one. */
export const heartbeatFrame: Buffer = Buffer.from(':\n\n');
