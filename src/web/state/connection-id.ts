// How the API names a connection.

interface Ends {
  src: string | null;
  dst: string | null;
  dport: number | null;
  proto: string | null;
}

/** Source, destination, port and protocol: the id of the connection in the API. */
export function connectionId({ src, dst, dport, proto }: Ends): string {
  return [src, dst, dport, proto].join();
}
