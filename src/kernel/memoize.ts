// Caches what a function returns.

/** Returns a function that calls `compute` once for each key, and returns the same answer for that key ever after. */
export function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const answers = new Map<K, V>();
  return (key) => {
    if (!answers.has(key)) {
      answers.set(key, compute(key));
    }
    return answers.get(key) as V;
  };
}
