// What a PromQL expression selects, as the grammar of Prometheus itself reads it.
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  series: string;
  matchers: { label: string; op: string; value: string }[];
}

/** Throws an Error for text that is no PromQL. Variables of Grafana stand for a range and for label values. */
export function findSelectors(expression: string): Selector[] {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const found: Selector[] = [];
  const words: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const word = text.slice(from, to);
      const current = found.at(-1);
      if (type.isError) {
        throw new Error(`${expression} is no PromQL at ${from}`);
      }
      if (type.name === 'VectorSelector') {
        found.push({ series: '', matchers: [] });
      } else if (type.name === 'Identifier' && current?.series === '') {
        current.series = word;
      } else if (type.name === 'UnquotedLabelMatcher') {
        words.length = 0;
      } else if (['LabelName', 'MatchOp', 'StringLiteral'].includes(type.name)) {
        words.push(word);
      }
    },
    leave({ type }) {
      const [label = '', op = '', value = ''] = words;
      if (type.name === 'UnquotedLabelMatcher') {
        found.at(-1)?.matchers.push({ label, op, value: value.slice(1, -1) });
      }
    },
  });
  return found;
}
