// Stands where the simulators are in the repository: they are an npm package of their own.

/** Says how they are run; resolves to the exit code. */
export async function runSimulator(): Promise<number> {
  process.stderr.write(
    'gatehouse sim: the simulators are the package gatehouse-simulators: install its tarball, and run "npx gatehouse-simulators KIND" with the same options\n',
  );
  return 1;
}
