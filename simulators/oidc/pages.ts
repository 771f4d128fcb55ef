// The HTML a person sees at the simulated issuer: login, consent and errors. Plain forms, usable by keyboard.

/** The login form; with `failed` it says that address or password was wrong. */
export function loginPage(clientId: string, failed: boolean): string {
  return page(
    'Sign in',
    `<p>Sign in to continue to <strong>${escapeHtml(clientId)}</strong></p>
${failed ? '<p role="alert">The e-mail address or the password is wrong.</p>' : ''}
<form method="post">
<input type="hidden" name="step" value="login">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button>
</form>`,
  );
}

/** The form that asks whether the client may have `scopes` at `resources`, which are URLs. */
export function consentPage(clientId: string, scopes: readonly string[], resources: readonly string[]): string {
  const items = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('');
  const resourceLines = resources.map((resource) => `<p>Resource: <code>${escapeHtml(resource)}</code></p>`).join('');
  return page(
    'Allow access',
    `<p><strong>${escapeHtml(clientId)}</strong> asks for these scopes:</p>
<ul>${items}</ul>
${resourceLines}
<form method="post">
<input type="hidden" name="step" value="consent">
<button type="submit" name="answer" value="allow" autofocus>Allow</button>
<button type="submit" name="answer" value="deny">Deny</button>
</form>`,
  );
}

/** `error`: a code of OAuth or of the simulator. Both parameters are plain text. */
export function errorPage(error: string, description: string): string {
  return page(
    'The request was refused',
    `<p role="alert"><strong>${escapeHtml(error)}</strong> ${escapeHtml(description)}</p>`,
  );
}

/** `title` and `body` are HTML: escape text from outside before. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - simulated issuer</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; margin-bottom: .75rem; }
input, button { padding: .5rem; border: 1px solid #555; border-radius: 4px; }
:focus-visible { outline: 3px solid #0b57d0; outline-offset: 2px; }
[role=alert] { color: #a30000; }
code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
<footer><small>A simulator: not a real identity provider.</small></footer>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
