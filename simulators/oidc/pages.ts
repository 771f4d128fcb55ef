// The HTML a person sees at the simulated issuer: login, consent and errors. Plain forms, usable by keyboard.

/** The form that asks who it is; `failed` repeats it after a wrong password. */
export function loginPage(client: string, failed: boolean): string {
  return page(
    'Sign in',
    `<p>to go on to <strong>${escapeHtml(client)}</strong></p>
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

/** The form that asks whether `client` may have `scopes`, at `resources`. */
export function consentPage(client: string, scopes: readonly string[], resources: readonly string[]): string {
  const items = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('');
  const at = resources.map((resource) => `<p>at <code>${escapeHtml(resource)}</code></p>`).join('');
  return page(
    'Allow access',
    `<p><strong>${escapeHtml(client)}</strong> asks for</p>
<ul>${items}</ul>
${at}
<form method="post">
<input type="hidden" name="step" value="consent">
<button type="submit" name="answer" value="allow" autofocus>Allow</button>
<button type="submit" name="answer" value="deny">Deny</button>
</form>`,
  );
}

export function errorPage(error: string, description: string): string {
  return page(
    'The request was refused',
    `<p role="alert"><strong>${escapeHtml(error)}</strong> ${escapeHtml(description)}</p>`,
  );
}

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
