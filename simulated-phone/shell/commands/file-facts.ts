import { modeLetters, statMode, userName } from '../../files/file-stat.js';
import { baseName, joinPath, parentPath } from '../../files/phone-path.js';
import { CommandFailure, pathOf, statusOf, type Command, type CommandCall, print } from '../command.js';
import { formatDate } from '../format-date.js';
import { globOf } from '../glob.js';
import { allLines } from '../lines.js';
import { parseOptions } from '../options.js';
import { blocks, humanSize } from './ls.js';

export const stat: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['L', 'f', 't'], values: ['c'] });
  const zone = call.machine.properties.get('persist.sys.timezone');
  let status = 0;
  for (const name of options.rest) {
    status |= await statusOf(call, `'${name}'`, async () => {
      const files = call.machine.shellFiles;
      const found = await (options.has('L') ? files.stat(pathOf(call, name)) : files.lstat(pathOf(call, name)));
      const date = formatDate('%Y-%m-%d %H:%M:%S.%N %z', found.mtimeMs, zone);
      const kind = { file: 'regular file', directory: 'directory', link: 'symbolic link', device: 'character device' }[found.kind]; // prettier-ignore
      const values: Record<string, string> = {
        a: (found.permissions & 0o7777).toString(8),
        A: modeLetters(found),
        b: String(blocks(found)),
        B: '512',
        f: statMode(found).toString(16),
        F: kind,
        g: String(found.gid),
        G: userName(found.gid),
        h: '1',
        i: String(found.ino),
        n: name,
        N: found.target === undefined ? name : `${name} -> ${found.target}`,
        s: String(found.sizeBytes),
        u: String(found.uid),
        U: userName(found.uid),
        x: date,
        X: String(Math.floor(found.mtimeMs / 1000)),
        y: date,
        Y: String(Math.floor(found.mtimeMs / 1000)),
        z: date,
        Z: String(Math.floor((found.ctimeMs ?? found.mtimeMs) / 1000)),
        '%': '%',
      };
      const format = options.value('c');
      if (format !== undefined) {
        await call.stdout.write(
          `${format.replace(/%([a-zA-Z%])/g, (whole, letter: string) => values[letter] ?? whole)}\n`,
        );
        return;
      }
      const permissions = `0${values['a'] ?? ''}`.slice(-4);
      await call.stdout.write(
        `  File: ${values['N'] ?? ''}\n  Size: ${found.sizeBytes}\t Blocks: ${blocks(found)}\t IO Blocks: 512\t${kind}\n` +
          `Device: fd00h/64768d\t Inode: ${found.ino}\t Links: 1\n` +
          `Access: (${permissions}/${modeLetters(found)})\tUid: (${String(found.uid).padStart(5)}/${userName(found.uid)})\tGid: (${String(found.gid).padStart(5)}/${userName(found.gid)})\n` +
          `Access: ${date}\nModify: ${date}\nChange: ${date}\n`,
      );
    });
  }
  return status;
};

export const readlink: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['f', 'e', 'n', 'q', 'm'] });
  for (const name of options.rest) {
    const files = call.machine.shellFiles;
    const path = pathOf(call, name);
    const target = options.has('f') || options.has('e') ? await files.realPath(path) : (await files.lstat(path)).target;
    if (target === undefined) return 1;
    await call.stdout.write(`${target}\n`);
  }
  return 0;
};

export const basename: Command = async ({ args, stdout }) => {
  const [name = '', suffix = ''] = args;
  const base = baseName(name);
  await stdout.write(
    `${suffix !== '' && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base}\n`,
  );
  return 0;
};

export const dirname: Command = async ({ args, stdout }) => {
  const [name = ''] = args;
  return print(stdout, `${name.includes('/') ? parentPath(name.replace(/(.)\/+$/, '$1')) : '.'}\n`);
};

export const pwd: Command = ({ cwd, stdout }) => print(stdout, `${cwd}\n`);

export const which: Command = async ({ args, run }) => run(['sh', '-c', `command -v ${args.map((word) => `'${word.replaceAll("'", '')}'`).join(' ')}`]); // prettier-ignore

export const df: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['h', 'k', 'a', 'H', 'P', 'i'], values: ['t'] });
  const { usedBytes, capacityBytes } = await call.machine.files.usage();
  const size = (bytes: number): string => (options.has('h') || options.has('H') ? humanSize(bytes) : String(Math.ceil(bytes / 1024))); // prettier-ignore
  const rows = [
    { device: '/dev/block/dm-0', total: SYSTEM_BYTES, used: SYSTEM_BYTES, mount: '/' },
    { device: '/dev/block/dm-1', total: capacityBytes, used: usedBytes, mount: '/data' },
    { device: '/dev/fuse', total: capacityBytes, used: usedBytes, mount: '/storage/emulated' },
  ];
  const wanted: string[] = [];
  for (const name of options.rest) wanted.push(await call.machine.shellFiles.realPath(pathOf(call, name)));
  const picked = wanted.length === 0 ? rows : wanted.map((path) => [...rows].reverse().find(({ mount }) => path.startsWith(mount)) ?? rows[0]); // prettier-ignore
  const unit = options.has('h') || options.has('H') ? ' Size' : '1K-blocks';
  await call.stdout.write(`Filesystem      ${unit.padStart(9)}    Used Available Use% Mounted on\n`);
  for (const row of picked) {
    if (!row) continue;
    const percent = Math.ceil((row.used / row.total) * 100);
    await call.stdout.write(`${row.device.padEnd(15)} ${size(row.total).padStart(9)} ${size(row.used).padStart(7)} ${size(row.total - row.used).padStart(9)} ${`${percent}%`.padStart(4)} ${row.mount}\n`); // prettier-ignore
  }
  return 0;
};

const SYSTEM_BYTES = 800 * 1024 ** 2;

/**
 * `find PATH... [-maxdepth N] [-mindepth N] [-type f|d|l] [-name G] [-iname G] [-path G]` `[-size +Nk] [-newer F] [-print0] [-delete]
 * [-exec C {} ;]`
 */
export const find: Command = async (call) => {
  const words = [...call.args];
  const roots: string[] = [];
  while (words.length > 0 && !/^[-!(]/.test(words[0] ?? '')) roots.push(words.shift() ?? '');
  const tests: ((found: Found) => boolean | Promise<boolean>)[] = [];
  let maxDepth = Infinity;
  let minDepth = 0;
  let acts = false;
  const take = (): string => words.shift() ?? '';
  for (let word = words.shift(), negated = false; word !== undefined; word = words.shift()) {
    if (word === '!' || word === '-not') {
      negated = true;
      continue;
    }
    let check: ((found: Found) => boolean | Promise<boolean>) | undefined;
    if (word === '-maxdepth') maxDepth = Number(take());
    else if (word === '-mindepth') minDepth = Number(take());
    else if (word === '-type') {
      const kind = { f: 'file', d: 'directory', l: 'link', c: 'device' }[take()];
      check = (found) => found.stat.kind === kind;
    } else if (word === '-name' || word === '-iname') {
      const expression = globOf(take(), { ignoreCase: word === '-iname' });
      check = (found) => expression.test(baseName(found.path));
    } else if (word === '-path' || word === '-wholename') {
      const expression = globOf(take());
      check = (found) => expression.test(found.path);
    } else if (word === '-size') check = sizeTest(take());
    else if (word === '-newer') {
      const { mtimeMs } = await call.machine.shellFiles.stat(pathOf(call, take()));
      check = (found) => found.stat.mtimeMs > mtimeMs;
    } else if (word === '-empty') check = (found) => found.stat.kind === 'file' && found.stat.sizeBytes === 0;
    else if (word === '-print' || word === '-print0') {
      const end = word === '-print0' ? '\0' : '\n';
      acts = true;
      check = async (found) => (await call.stdout.write(found.path + end), true);
    } else if (word === '-delete') {
      acts = true;
      check = async (found) => (await call.machine.shellFiles.removeTree(pathOf(call, found.path)), true);
    } else if (word === '-exec') {
      acts = true;
      const end = words.findIndex((one) => one === ';' || one === '+');
      const command = words.splice(0, end + 1).slice(0, -1);
      check = async (found) => (await call.run(command.map((one) => one.replaceAll('{}', found.path)))) === 0;
    } else if (word !== '-a' && word !== '-and') throw new CommandFailure(`bad arg '${word}'`);
    if (!check) continue;
    const inner = check;
    tests.push(negated ? async (found) => !(await inner(found)) : inner);
    negated = false;
  }
  let status = 0;
  for (const root of roots.length > 0 ? roots : ['.']) {
    status |= await statusOf(call, root, async () => {
      for await (const found of walk(call, root, maxDepth)) {
        if (found.depth < minDepth) continue;
        let isMatch = true;
        for (const check of tests) isMatch = isMatch && (await check(found));
        if (isMatch && !acts) await call.stdout.write(`${found.path}\n`);
      }
    });
  }
  return status;
};

interface Found {
  path: string;
  depth: number;
  stat: Awaited<ReturnType<CommandCall['machine']['files']['stat']>>;
}

/** Yields the file itself and, for a folder, everything below it. A folder that cannot be read is reported and skipped. */
async function* walk(call: CommandCall, root: string, maxDepth = Infinity): AsyncGenerator<Found> {
  const files = call.machine.shellFiles;
  const pending: Found[] = [{ path: root, depth: 0, stat: await files.stat(pathOf(call, root)) }];
  for (let found = pending.pop(); found; found = pending.pop()) {
    yield found;
    if (found.stat.kind !== 'directory' || found.depth >= maxDepth) continue;
    const { path, depth } = found;
    await statusOf(call, path, async () => {
      const entries = await files.list(pathOf(call, path));
      for (const entry of entries.reverse())
        pending.push({ path: joinPath(path.replace(/(.)\/+$/, '$1'), entry.name), depth: depth + 1, stat: entry.stat });
    });
  }
}

function sizeTest(text: string): (found: Found) => boolean {
  const match = /^([-+]?)(\d+)([ckMG]?)$/.exec(text);
  if (!match) throw new CommandFailure(`bad -size '${text}'`);
  const unit = { '': 512, c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }[match[3] ?? ''] ?? 512;
  const wanted = Number(match[2]);
  return ({ stat: { sizeBytes } }) => {
    const size = Math.ceil(sizeBytes / unit);
    return match[1] === '+' ? size > wanted : match[1] === '-' ? size < wanted : size === wanted;
  };
}

export const xargs: Command = async (call) => {
  const options = parseOptions(call.args, { flags: ['0', 'r', 't'], values: ['n', 'I', 'P', 's'], strict: true });
  const command = options.rest.length > 0 ? options.rest : ['echo'];
  const items: string[] = [];
  for (const line of await allLines(call.stdin, call.memory))
    for (const item of options.has('0') ? line.split('\0') : options.value('I') === undefined ? line.trim().split(/\s+/) : [line]) if (item !== '') items.push(item); // prettier-ignore
  if (items.length === 0 && options.has('r')) return 0;
  const placeholder = options.value('I');
  let status = 0;
  if (placeholder !== undefined) {
    for (const item of items) if ((await call.run(command.map((word) => word.replaceAll(placeholder, item)))) !== 0) status = 123; // prettier-ignore
    return status;
  }
  const most = Number(options.value('n') ?? 5_000);
  if (!(most >= 1)) throw new CommandFailure(`bad -n '${options.value('n') ?? ''}'`);
  do if ((await call.run([...command, ...items.splice(0, most)])) !== 0) status = 123;
  while (items.length > 0);
  return status;
};
