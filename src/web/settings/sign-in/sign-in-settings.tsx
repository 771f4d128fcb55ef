// Who is logged in and how one logs in: sessions, password, API identities, the issuer.
import { AdminTokenCard } from './admin-token.tsx';
import { Identities } from './identities.tsx';
import { Oidc } from './oidc.tsx';
import { Password } from './password.tsx';
import { Sessions } from './sessions.tsx';

export function SignInSettings() {
  return (
    <div class="stack">
      <Sessions />
      <Password />
      <AdminTokenCard />
      <Identities />
      <Oidc />
    </div>
  );
}
