// Loaded into a program by `--import`: SIGUSR2 blocks its event loop for ever, as an endless loop would.
process.on('SIGUSR2', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
