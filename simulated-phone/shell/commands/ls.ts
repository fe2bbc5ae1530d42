import type { PhoneSystem } from '../../system/system.js';
import { modeLetters, userName, type FileStat } from '../../files/file-stat.js';
import { joinPath } from '../../files/phone-path.js';
import { pathOf, statusOf, type Command, type CommandCall } from '../command.js';
import { parseOptions, type Options } from '../options.js';
import { formatDate } from '../format-date.js';

interface Entry {
  name: string;
  stat: FileStat;
}

export const ls: Command = async (call) => {
  const options = parseOptions(call.args, { flags: [...Array.from('laA1trRdhSinFpsCZL'), 'color', 'full-time'] });
  const names = options.rest.length > 0 ? options.rest : ['.'];
  let status = 0;
  const loose: Entry[] = [];
  const folders: string[] = [];
  for (const name of names) {
    status |= await statusOf(call, name, async () => {
      const path = pathOf(call, name);
      const files = call.machine.shellFiles;
      const stat = await (options.has('l') && !name.endsWith('/') ? files.lstat(path) : files.stat(path));
      if (stat.kind === 'directory' && !options.has('d')) folders.push(name);
      else loose.push({ name, stat });
    });
  }
  await print(call, options, sorted(loose, options));
  const showHeads = names.length > 1 || options.has('R');
  for (let name = folders.shift(); name !== undefined; name = folders.shift()) {
    const folder = name;
    status |= await statusOf(call, folder, async () => {
      const listed = await call.machine.shellFiles.list(pathOf(call, folder));
      let entries = listed.filter((entry) => options.has('a') || options.has('A') || !entry.name.startsWith('.'));
      if (options.has('a')) {
        const itself = await call.machine.shellFiles.stat(pathOf(call, folder));
        entries = [{ name: '.', stat: itself }, { name: '..', stat: itself }, ...entries];
      }
      if (showHeads) await call.stdout.write(`${loose.length > 0 || folder !== names[0] ? '\n' : ''}${folder}:\n`);
      if (options.has('l')) await call.stdout.write(`total ${entries.reduce((sum, { stat }) => sum + blocks(stat), 0) / 2}\n`); // prettier-ignore
      await print(call, options, sorted(entries, options));
      if (options.has('R'))
        folders.unshift(...entries.filter(({ name: child, stat }) => stat.kind === 'directory' && !/^\.\.?$/.test(child)).map((entry) => joinPath(folder, entry.name))); // prettier-ignore
    });
  }
  return status;
};

function sorted(entries: readonly Entry[], options: Options): Entry[] {
  let result = [...entries];
  if (options.has('t')) result = result.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  if (options.has('S')) result = result.sort((a, b) => b.stat.sizeBytes - a.stat.sizeBytes);
  return options.has('r') ? result.reverse() : result;
}

async function print(call: CommandCall, options: Options, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const text = entries.map((entry) => {
    const mark = (options.has('F') || options.has('p')) && entry.stat.kind === 'directory' ? '/' : '';
    const inode = options.has('i') ? `${entry.stat.ino} ` : '';
    if (!options.has('l') && !options.has('n')) return `${inode}${entry.name}${mark}\n`;
    return inode + longLine(call.machine, entry, options);
  });
  await call.stdout.write(text.join(''));
}

function longLine(machine: PhoneSystem, { name, stat }: Entry, options: Options): string {
  const owner = options.has('n') ? String(stat.uid) : userName(stat.uid);
  const group = options.has('n') ? String(stat.gid) : userName(stat.gid);
  const size = options.has('h') ? humanSize(stat.sizeBytes) : String(stat.sizeBytes);
  const date = formatDate('%Y-%m-%d %H:%M', stat.mtimeMs, machine.properties.get('persist.sys.timezone'));
  const target = stat.target === undefined ? '' : ` -> ${stat.target}`;
  const links = stat.kind === 'directory' ? 2 : 1;
  return `${modeLetters(stat)} ${links} ${owner.padEnd(6)} ${group.padEnd(6)} ${size.padStart(8)} ${date} ${name}${target}\n`;
}

/** Returns the size in blocks of 512 bytes. */
export function blocks(stat: FileStat): number {
  return stat.kind === 'link' ? 0 : Math.ceil(stat.sizeBytes / 4096) * 8;
}

/** Returns a size such as `4.0K`. */
export function humanSize(bytes: number): string {
  const units = ['', 'K', 'M', 'G', 'T'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? String(value) : `${value < 10 ? value.toFixed(1) : Math.round(value)}${units[unit] ?? ''}`;
}
