// The types of a package that has none.
declare module 'parse-prometheus-text-format' {
  interface Family {
    name: string;
    help: string;
    type: string;
    metrics: { value: string; labels?: Record<string, string> }[];
  }
  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default function parse(text: string): Family[];
}
