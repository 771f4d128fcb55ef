// The login form. A failed login keeps what was typed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, apiUrl } from '../api/client.ts';
import { describeError } from '../parts/outcome.tsx';
import { methods, signIn } from '../state/session.ts';
import { path, query } from '../state/url.ts';
import { text } from '../text/text.ts';

export function SignIn() {
  const t = text.value.signIn;
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { localLoginEnabled = true, oidcEnabled = false } = methods.value ?? {};
  useEffect(() => {
    document.title = t.title;
  }, [t]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [localLoginEnabled]);
  const here = `/${path.value}?${query.value}`;
  // The hub accepts at most 512 characters.
  const returnTo = here.length > 512 ? undefined : here;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get('password');
    setBusy(true);
    setProblem(await signIn(String(password)));
    setBusy(false);
  };
  return (
    <main class="sign-in" id="content">
      <h1>{t.title}</h1>
      {localLoginEnabled ? (
        <form onSubmit={(event) => void submit(event)}>
          <label>
            {t.password}
            <input ref={field} name="password" type="password" autocomplete="current-password" required />
          </label>
          <button type="submit" class="main" disabled={isBusy}>
            {isBusy ? t.busy : t.submit}
          </button>
          {problem === null ? null : (
            <p class="problem" role="alert">
              {describeError(problem)}
            </p>
          )}
          <p class="help">{t.help}</p>
        </form>
      ) : null}
      {oidcEnabled ? <a href={apiUrl('/api/auth/oidc/start', { returnTo }).href}>{t.oidc}</a> : null}
    </main>
  );
}
