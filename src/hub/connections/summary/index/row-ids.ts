// Where each flow is kept, by its id: pages, so that ids whose flows have gone cost next to nothing.

const pageBits = 12;
const pageIds = 1 << pageBits;

export class PlaceTable {
  #pages: (Uint32Array | undefined)[] = [];

  /** The place of a flow; -1 when it has none. */
  of(id: number): number {
    const page = this.#pages[id >>> pageBits];
    return page === undefined ? -1 : (page[id & (pageIds - 1)] as number) - 1;
  }

  /** -1: it has none any more. */
  set(id: number, place: number): void {
    const number = id >>> pageBits;
    while (this.#pages.length <= number) {
      this.#pages.push(undefined);
    }
    let page = this.#pages[number];
    if (page === undefined) {
      page = new Uint32Array(pageIds);
      this.#pages[number] = page;
    }
    page[id & (pageIds - 1)] = place + 1;
  }
}
