// The flows of one hour as two short byte strings: numbers of seven bits a byte, the lowest first, the last without its top bit.

export interface HourPack {
  /** For each flow, by ascending id, the distance of its id from the one before, and its observations. */
  flows: Uint8Array;
  /** For each flow the milliseconds from the start of the hour to its first sighting, and from there to the last. */
  spans: Uint8Array;
}

export interface HourPacking {
  /** Flows by ascending id; `first` and `last` in milliseconds into the hour. All numbers are below 2^31. */
  add(flow: number, observations: number, first: number, last: number): void;
  pack(): HourPack;
}

export function createHourPacking(): HourPacking {
  const flows = createBytes();
  const spans = createBytes();
  let before = 0;
  return {
    add(flow, observations, first, last) {
      flows.add(flow - before);
      flows.add(observations);
      spans.add(first);
      spans.add(last - first);
      before = flow;
    },
    pack: () => ({ flows: flows.bytes(), spans: spans.bytes() }),
  };
}

/** Calls `see` for each flow of a pack. Millions of them are read for one summary: no call, no object for each number. */
export function eachFlow(flows: Uint8Array, see: (flow: number, observations: number) => void): void {
  let flow = 0;
  let at = 0;
  while (at < flows.length) {
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = flows[at] as number;
      flow += (byte & 127) << shift;
      more = byte > 127;
      at += 1;
    }
    let observations = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = flows[at] as number;
      observations += (byte & 127) << shift;
      more = byte > 127;
      at += 1;
    }
    see(flow, observations);
  }
}

/** The same with the milliseconds into the hour of first and last sighting. */
export function eachRow(
  { flows, spans }: HourPack,
  see: (flow: number, observations: number, first: number, last: number) => void,
): void {
  const place = { at: 0 };
  eachFlow(flows, (flow, observations) => {
    const first = numberAt(spans, place);
    see(flow, observations, first, first + numberAt(spans, place));
  });
}

function numberAt(bytes: Uint8Array, place: { at: number }): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[place.at] as number;
    place.at += 1;
    value += (byte & 127) << shift;
    if (byte < 128) {
      return value;
    }
  }
}

/** Bytes of one number at most. */
const widest = 5;

function createBytes() {
  let room = new Uint8Array(4096);
  let length = 0;
  return {
    add(value: number) {
      if (length + widest > room.length) {
        const more = new Uint8Array(room.length * 2);
        more.set(room);
        room = more;
      }
      let rest = value;
      for (; rest > 127; rest >>>= 7) {
        room[length] = (rest & 127) | 128;
        length += 1;
      }
      room[length] = rest;
      length += 1;
    },
    bytes: () => room.slice(0, length),
  };
}
