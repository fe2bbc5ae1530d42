import { execFile } from 'node:child_process';

/** Brings up loopback, shows a phone's folder ($1) at a path that is the same for all phones ($2), and runs the other arguments there. */
const SET_UP = 'ip link set lo up && mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"';

/**
 * Returns the command that runs a program in a network and a mount namespace of its own. The program keeps the command's process id.
 *
 * The network has loopback only, without a route to anywhere. Emulator and guest reach other networks only by the way that the program
 * opens. As every phone sees its folder at one path, disk images that name each other by path can be copied to another phone. A user
 * other than root needs a kernel that lets all users make user namespaces.
 */
export function inNamespace(
  { folder, seen, isRoot }: { folder: string; seen: string; isRoot: boolean },
  program: readonly string[],
): [command: string, words: string[]] {
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  return ['unshare', [...user, '--net', '--mount', '--', 'sh', '-c', SET_UP, 'sh', folder, seen, ...program]];
}

/** Returns a line for the operator why no such namespace can be made with these folders; undefined when it can be made. */
export function whyNoNamespace(folders: {
  folder: string;
  seen: string;
  isRoot: boolean;
}): Promise<string | undefined> {
  const [command, words] = inNamespace(folders, ['true']);
  return new Promise((resolve) => {
    execFile(command, words, { timeout: 10_000, killSignal: 'SIGKILL' }, (error, _stdout, stderr) => {
      if (error === null) {
        resolve(undefined);
        return;
      }
      const reason = stderr.trim().split('\n')[0] ?? '';
      resolve(
        `a network namespace cannot be made: run the service as root, with the programs unshare, setpriv and mount (util-linux) and ip (iproute2) (${reason === '' ? error.message.slice(0, 200) : reason.slice(0, 200)})`,
      );
    });
  });
}
