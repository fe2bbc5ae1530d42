import { dataFolderOf } from '../../files/access.js';
import type { Machine } from '../../machine/machine.js';
import { createChildState } from '../create-child-state.js';
import { CommandFailure, type Command } from '../command.js';
import { quotedForShell } from '../quoted-for-shell.js';

/**
 * `run-as PACKAGE [COMMAND ARGS...]`: runs a command in the folder of an app, with the rights of the app, as Android does for apps that can
 * be debugged. These are the apps that the phone draws by itself. So a test reads and prepares the state of an app from outside.
 */
export const runAs: Command = async (call) => {
  const words = [...call.args];
  if (words[0] === '--user') words.splice(0, 2);
  const [name, ...command] = words;
  if (name === undefined)
    throw new CommandFailure('run-as: usage: run-as <package-name> [--user <uid>] <command> [<args>]', { bare: true });
  const installed = call.machine.packages.get(name);
  if (installed === undefined) throw new CommandFailure(`unknown package: ${name}`);
  if (!installed.system) throw new CommandFailure(`package not debuggable: ${name}`);
  const folder = dataFolderOf(name);
  await call.machine.files.mkdir(`${folder}/files`, { parents: true });
  const shellFiles = call.machine.filesOfApp(name);
  // Everything but the files is that of the phone, also what comes later, such as its screen.
  const machine = Object.create(call.machine, { shellFiles: { value: shellFiles } }) as Machine;
  const shell = call.startShell(createChildState({ ...call, cwd: folder }, []), machine);
  return shell.runToEnd(command.length === 0 ? 'sh' : command.map(quotedForShell).join(' '), { ...call });
};
