/** Address of the world's outlines, which the build makes (scripts/world-map.ts). */
declare module 'virtual:world-map' {
  const address: string;
  export default address;
}

/** Address of a worker that the build makes of a module. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
