// The people the simulated issuer knows.
import { z } from 'zod';

export const userSchema = z
  .object({
    sub: z.string().min(1).max(255),
    email: z.email(),
    emailVerified: z.boolean().default(true),
    name: z.string().min(1).max(200),
    password: z.string().min(1).max(256),
  })
  .strict();

/** A user; `sub` is the subject of the tokens. */
export type IssuerUser = z.output<typeof userSchema>;

export type PublicUser = Omit<IssuerUser, 'password'>;

export const defaultUsers: readonly IssuerUser[] = [
  {
    sub: 'user-1',
    email: 'operator@example.com',
    emailVerified: true,
    name: 'Olive Operator',
    password: 'operator-password',
  },
  {
    sub: 'user-2',
    email: 'viewer@example.org',
    emailVerified: true,
    name: 'Victor Viewer',
    password: 'viewer-password',
  },
];

export type Users = ReturnType<typeof createUsers>;

export function createUsers(first: readonly IssuerUser[]) {
  const bySub = new Map<string, IssuerUser>();
  const reset = () => {
    bySub.clear();
    for (const user of first) {
      bySub.set(user.sub, { ...user });
    }
  };
  reset();
  return {
    find: (word: string): IssuerUser | null =>
      bySub.get(word) ?? [...bySub.values()].find(({ email }) => email === word) ?? null,
    put(user: IssuerUser): void {
      bySub.set(user.sub, { ...user });
    },
    remove: (sub: string) => bySub.delete(sub),
    list: (): readonly IssuerUser[] => [...bySub.values()],
    reset,
  };
}

export function withoutPassword({ sub, email, emailVerified, name }: IssuerUser): PublicUser {
  return { sub, email, emailVerified, name };
}
