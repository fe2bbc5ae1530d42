import { PhoneFileError } from '../../files/file-error.js';
import { baseName, joinPath } from '../../files/phone-path.js';
import { CommandFailure, pathOf, statusOf, type Command, type CommandCall } from '../command.js';
import { parseOptions } from '../options.js';

export const rm: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['r', 'R', 'f', 'i', 'v'] });
  const recursive = options.has('r') || options.has('R');
  const forced = options.has('f');
  if (options.rest.length === 0 && !forced) throw new CommandFailure('Needs 1 argument (see "rm --help")');
  return eachPath(call, options.rest, async (path) => {
    const files = call.machine.shellFiles;
    try {
      if (recursive) await files.removeTree(path);
      else await files.unlink(path);
    } catch (error) {
      if (error instanceof PhoneFileError && error.code === 'ENOENT' && forced) return;
      throw error;
    }
  });
};

export const rmdir: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['p'] });
  return eachPath(call, options.rest, (path) => call.machine.shellFiles.rmdir(path));
};

export const mkdir: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['p', 'v'], values: ['m'] });
  const mode = options.value('m');
  const permissions = mode === undefined ? {} : { permissions: parseInt(mode, 8) };
  return eachPath(call, options.rest, (path) =>
    call.machine.shellFiles.mkdir(path, { parents: options.has('p'), ...permissions }),
  );
};

export const touch: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['c', 'a', 'm', 'h'], values: ['d', 't', 'r'] });
  return eachPath(call, options.rest, async (path) => {
    const files = call.machine.shellFiles;
    if (!(await files.exists(path))) {
      if (options.has('c')) return;
      await (await files.openWrite(path, { append: true })).close();
    }
    const reference = options.value('r');
    const date = options.value('d');
    const mtimeMs = reference === undefined ? (date === undefined ? call.machine.clock.now() : dateMs(date)) : (await files.stat(pathOf(call, reference))).mtimeMs; // prettier-ignore
    await files.setTimes(path, mtimeMs);
  });
};

export const chmod: Command = (call) => {
  const options = parseOptions(call.args.map((word, at) => (at === 0 && /^[-+=]/.test(word) && !/^-[Rf]+$/.test(word) ? `a${word}` : word)), { flags: ['R', 'f', 'v'] }); // prettier-ignore
  const [mode = '', ...names] = options.rest;
  return eachPath(call, names, async (path) => {
    const files = call.machine.shellFiles;
    await files.chmod(path, changedMode((await files.stat(path)).permissions, mode));
  });
};

/** `chown`. The place of a file decides its owner, as on the shared storage of a phone; only root could change it. */
export const chown: Command = async (call) => {
  const [, ...names] = parseOptions(call.args, { flags: ['R', 'h', 'f'] }).rest;
  return eachPath(call, names, async (path) => {
    await call.machine.shellFiles.stat(path);
    throw new PhoneFileError('EPERM', path);
  });
};

export const ln: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['s', 'f', 'n', 'T'] });
  const [target = '', name = baseName(target)] = options.rest;
  if (!options.has('s')) throw new CommandFailure(`cannot create hard link from '${target}' to '${name}': Permission denied`); // prettier-ignore
  const files = call.machine.shellFiles;
  let path = pathOf(call, name);
  const found = await files.stat(path).catch(() => undefined);
  if (found?.kind === 'directory' && !options.has('T')) path = joinPath(path, baseName(target));
  if (options.has('f')) await files.unlink(path).catch(ignoreMissing);
  await files.symlink(target, path);
  return 0;
};

export const mv: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['f', 'i', 'n', 'v', 'T'] });
  return transfer(call, options.rest, async (from, to) => {
    await call.machine.shellFiles.rename(from, to);
  });
};

export const cp: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['r', 'R', 'a', 'p', 'f', 'i', 'n', 'v', 'L', 'P', 'd'] });
  const recursive = ['r', 'R', 'a'].some((flag) => options.has(flag));
  const keepTimes = options.has('p') || options.has('a');
  return transfer(call, options.rest, (from, to) => copyTree(call, from, to, { recursive, keepTimes }));
};

async function copyTree(
  call: CommandCall,
  from: string,
  to: string,
  options: { recursive: boolean; keepTimes: boolean },
): Promise<void> {
  const files = call.machine.shellFiles;
  const pending = [{ from, to }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const stat = await files.stat(next.from);
    if (stat.kind === 'directory') {
      if (!options.recursive) throw new CommandFailure(`Skipped dir '${next.from}'`);
      await files.mkdir(next.to, { parents: true });
      for (const entry of await files.list(next.from))
        pending.push({ from: joinPath(next.from, entry.name), to: joinPath(next.to, entry.name) });
      continue;
    }
    const reader = await files.openRead(next.from);
    try {
      const writer = await files.receive(next.to, stat.permissions);
      try {
        for (let part = await reader.read(); part; part = await reader.read()) await writer.write(part);
      } catch (error) {
        await writer.abort();
        throw error;
      }
      await writer.commit(options.keepTimes ? { mtimeMs: stat.mtimeMs } : {});
    } finally {
      await reader.close();
    }
  }
}

/** Moves or copies files. The last name is the target; a folder takes the others in. */
async function transfer(
  call: CommandCall,
  names: readonly string[],
  move: (from: string, to: string) => Promise<void>,
): Promise<number> {
  const target = names.at(-1);
  if (target === undefined || names.length < 2) throw new CommandFailure('Needs 2 arguments (see "--help")');
  const targetPath = pathOf(call, target);
  const isFolder = (await call.machine.shellFiles.stat(targetPath).catch(ignoreMissing))?.kind === 'directory';
  if (names.length > 2 && !isFolder) throw new CommandFailure(`'${target}' not directory`);
  return eachPath(call, names.slice(0, -1), (from) =>
    move(from, isFolder ? joinPath(targetPath, baseName(from)) : targetPath),
  );
}

/** Runs `run` for each path. A failure is reported and makes the status 1; the others are still done. */
async function eachPath(
  call: CommandCall,
  names: readonly string[],
  run: (path: string) => Promise<unknown>,
): Promise<number> {
  let status = 0;
  for (const name of names) status |= await statusOf(call, name, () => run(pathOf(call, name)));
  return status;
}

/** Returns a mode after a change such as `755`, `u+x`, `go-w` or `a=rx`. */
function changedMode(mode: number, change: string): number {
  if (/^[0-7]{1,4}$/.test(change)) return parseInt(change, 8);
  let result = mode;
  for (const clause of change.split(',')) {
    const match = /^([ugoa]*)([-+=])([rwxX]*)$/.exec(clause);
    if (!match) throw new CommandFailure(`bad mode '${change}'`);
    const [, who = '', operator, letters = ''] = match;
    const bits = (letters.includes('r') ? 4 : 0) | (letters.includes('w') ? 2 : 0) | (/x/i.test(letters) ? 1 : 0);
    for (const [letter, shift] of [
      ['u', 6],
      ['g', 3],
      ['o', 0],
    ] as const) {
      // prettier-ignore
      if (who !== '' && !who.includes('a') && !who.includes(letter)) continue;
      if (operator === '+') result |= bits << shift;
      else if (operator === '-') result &= ~(bits << shift);
      else result = (result & ~(7 << shift)) | (bits << shift);
    }
  }
  return result;
}

function dateMs(text: string): number {
  const timeMs = text.startsWith('@') ? Number(text.slice(1)) * 1000 : Date.parse(text.replace(' ', 'T'));
  if (!Number.isFinite(timeMs)) throw new CommandFailure(`bad date '${text}'`);
  return timeMs;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof PhoneFileError && error.code === 'ENOENT') return undefined;
  throw error;
}
