// Answers that are kept.
/** Wraps `compute` so that it is called once for each key. */
export function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const answers = new Map<K, V>();
  return (key) => {
    if (!answers.has(key)) {
      answers.set(key, compute(key));
    }
    return answers.get(key) as V;
  };
}
