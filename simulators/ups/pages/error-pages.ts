// The error pages of the server under the web UI, in English whatever the language.
import { escapeHtml } from './markup.ts';

export function serverErrorPage(path: string): string {
  return `<html>
<head>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<title>Error 500 Server Error</title>
</head>
<body><h2>HTTP ERROR 500</h2>
<p>Problem accessing ${escapeHtml(path)}. Reason:
<pre>    Server Error</pre></p>
</body>
</html>
`;
}

export function notFoundPage(path: string): string {
  return `<html>
<head>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<title>Error 404 Not Found</title>
</head>
<body><h2>HTTP ERROR 404</h2>
<p>Problem accessing ${escapeHtml(path)}. Reason:
<pre>    Not Found</pre></p>
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
