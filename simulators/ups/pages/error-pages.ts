// The error pages of the server under the web UI, in English whatever the language.
import { escapeHtml } from './markup.ts';

const reasons = { 404: 'Not Found', 500: 'Server Error' } as const;

export function errorPage(status: keyof typeof reasons, path: string): string {
  return `<html>
<head>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<title>Error ${status} ${reasons[status]}</title>
</head>
<body><h2>HTTP ERROR ${status}</h2>
<p>Problem accessing ${escapeHtml(path)}. Reason:
<pre>    ${reasons[status]}</pre></p>
</body>
</html>
`;
}

/** What the server says to two session cookies that are both valid. */
export function duplicateSessionPage(...ids: readonly string[]): string {
  const title = `400 Duplicate valid session cookies: ${ids.join(' ,')}`;
  return `<html>
<head><title>Error ${title}</title></head>
<body><h2>HTTP ERROR ${title}</h2></body>
</html>
`;
}
