// Where the index of the summaries lies: the folder of the data and the reader threads must agree.

/** The file beside a database that holds the flow store of the summaries. Nobody misses it: it is made again. */
export function toFlowStoreFile(databaseFile: string): string {
  return `${databaseFile}-flows`;
}
