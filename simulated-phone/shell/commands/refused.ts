import { CommandFailure, type Command, print } from '../command.js';

/** Returns a command that always fails. The text is that of a production phone, whose shell may not do this either. */
function refused(message: string, options: { status?: number; bare?: boolean } = {}): Command {
  return async () => {
    throw new CommandFailure(message, options);
  };
}

const notPermitted = refused('Operation not permitted');

/** The commands that are refused. `su` is not among them, as it does not exist. */
export const REFUSED: Record<string, Command> = {
  remount: refused('Not running as root. Try "adb root" first.', { bare: true, status: 255 }),
  'disable-verity': refused('verity cannot be disabled/enabled - USER build', { bare: true }),
  'enable-verity': refused('verity cannot be disabled/enabled - USER build', { bare: true }),
  avbctl: refused('Must run as root', { bare: true }),
  start: refused('must be root', {}),
  stop: refused('must be root', {}),
  mount: async ({ args, machine, stdout }) => {
    if (args.length > 0) throw new CommandFailure(`'${args.at(-1) ?? ''}': Permission denied`);
    return print(stdout, await machine.shellFiles.read('/proc/mounts'));
  },
  umount: notPermitted,
  setenforce: refused("Couldn't set enforcing status: Permission denied", {}),
  dmesg: refused('klogctl: Permission denied', {}),
  iptables: refused("can't initialize iptables table `filter': Permission denied (you must be root)", { status: 3 }),
  bu: refused('backup is not supported', {}),
  bmgr: refused('Error: backup is not active', { bare: true }),
  app_process: refused('Aborted: simulated phones run no Java code', { bare: true, status: 134 }),
  app_process64: refused('Aborted: simulated phones run no Java code', { bare: true, status: 134 }),
  bugreportz: ({ args, stdout }) =>
    print(stdout, args.includes('-v') ? '1.2\n' : 'FAIL:bug reports are not available on a simulated phone\n'),
  bugreport: refused('bug reports are not available on a simulated phone', {}),
};
