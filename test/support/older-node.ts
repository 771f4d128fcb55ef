// For `node --import`: makes this Node say that it is an older one, to the first process only.

export const olderNode = `data:text/javascript,Object.defineProperties(process, {
  versions: { value: { ...process.versions, node: '20.19.0' } }, version: { value: 'v20.19.0' } })`;
