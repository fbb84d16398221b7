import type { CommandContext } from './context.ts';

/** Adds the commands that restore access to an account. */
export function addAccountCommands({ program, root, env, print }: CommandContext): void {
  program
    .command('reset-password')
    .description("set a new password for a user, print it, and end all of the user's sessions")
    .argument('[email]', 'of the user; default: the administrator')
    .action(async (email: string | undefined) => {
      const { resetPassword } = await import('./account.ts');
      const { onInstallation } = await import('./installation.ts');
      const answer = await onInstallation(root, env, (installation) => resetPassword(installation, email));
      const disabled = answer.disabled ? ' The account is disabled; an admin can enable it under Teams & users.' : '';
      print(
        { email: answer.email, password: answer.secret },
        `New password for ${answer.email}: ${answer.secret}\nAll sessions of this user have ended.${disabled}\n`,
      );
    });

  program
    .command('sign-in-link')
    .description('print a link that signs a user in; it works once, for 24 hours')
    .argument('[email]', 'of the user; default: the administrator')
    .action(async (email: string | undefined) => {
      const { signInLink } = await import('./account.ts');
      const { onInstallation } = await import('./installation.ts');
      const answer = await onInstallation(root, env, (installation) => signInLink(installation, email));
      print({ email: answer.email, link: answer.secret }, `${answer.secret}\n`);
    });
}
