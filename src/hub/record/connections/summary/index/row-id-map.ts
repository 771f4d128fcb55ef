// Rows of the index by flow id. Pages are allocated on demand: ids of deleted flows cost next to nothing.

const pageBits = 12;
const pageIds = 1 << pageBits;

export class RowIdMap {
  #pages: (Uint32Array | undefined)[] = [];

  /** The row of a flow; -1 when it has none. */
  get(id: number): number {
    const page = this.#pages[id >>> pageBits];
    return page === undefined ? -1 : (page[id & (pageIds - 1)] as number) - 1;
  }

  /** `row` -1 removes the flow. */
  set(id: number, row: number): void {
    const number = id >>> pageBits;
    while (this.#pages.length <= number) {
      this.#pages.push(undefined);
    }
    let page = this.#pages[number];
    if (page === undefined) {
      page = new Uint32Array(pageIds);
      this.#pages[number] = page;
    }
    page[id & (pageIds - 1)] = row + 1;
  }

  /** The id of each of `rows` rows; 0 for rows whose flow is deleted. */
  listIds(rows: number): Uint32Array<ArrayBuffer> {
    const ids = new Uint32Array(rows);
    for (const [number, page] of this.#pages.entries()) {
      for (let at = 0; page !== undefined && at < pageIds; at += 1) {
        const row = (page[at] as number) - 1;
        if (row >= 0) {
          ids[row] = number * pageIds + at;
        }
      }
    }
    return ids;
  }
}
