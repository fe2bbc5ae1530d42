import { type Command, print } from '../command.js';
import { formatDate } from '../format-date.js';
import { parseOptions } from '../options.js';
import { CommandFailure } from '../command.js';

const GROUPS =
  '2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),1079(ext_obb_rw),' +
  '3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid),3012(readtracefs)';

export const id: Command = async ({ args, stdout }) => {
  const options = parseOptions(args, { flags: ['u', 'g', 'G', 'n', 'r', 'Z'] });
  const name = options.has('n');
  if (options.has('u') || options.has('g')) await stdout.write(name ? 'shell\n' : '2000\n');
  else if (options.has('G'))
    await stdout.write(`${GROUPS.replace(/(\d+)\((\w+)\),?/g, name ? '$2 ' : '$1 ').trim()}\n`);
  else await stdout.write(`uid=2000(shell) gid=2000(shell) groups=${GROUPS} context=u:r:shell:s0\n`);
  return 0;
};

export const whoami: Command = ({ stdout }) => print(stdout, 'shell\n');

export const hostname: Command = ({ machine, stdout }) => print(stdout, `${machine.identity.name}\n`);

export const uname: Command = async ({ args, stdout }) => {
  const options = parseOptions(args, { flags: ['a', 's', 'n', 'r', 'v', 'm', 'o', 'p'] });
  const parts = { s: 'Linux', n: 'localhost', r: '5.15.0-simulated', v: '#1 SMP PREEMPT Thu Jan 1 00:00:00 UTC 2026', m: 'x86_64', o: 'Toybox' }; // prettier-ignore
  const shown = Object.entries(parts).filter(([letter]) => options.has('a') || options.has(letter)).map(([, text]) => text); // prettier-ignore
  return print(stdout, `${shown.length > 0 ? shown.join(' ') : parts.s}\n`);
};

export const date: Command = async ({ args, machine, stdout }) => {
  const options = parseOptions(args, { flags: ['u'], values: ['d', 'D', 'r', 's', 'I'] });
  if (options.has('s')) throw new CommandFailure('cannot set date: Operation not permitted');
  const given = options.value('d');
  const timeMs = given === undefined ? machine.clock.now() : given.startsWith('@') ? Number(given.slice(1)) * 1000 : Date.parse(given); // prettier-ignore
  if (!Number.isFinite(timeMs)) throw new CommandFailure(`bad date '${given ?? ''}'`);
  const format = options.rest.find((word) => word.startsWith('+'))?.slice(1) ?? '%a %b %e %H:%M:%S %Z %Y';
  const zone = options.has('u') ? 'UTC' : machine.properties.get('persist.sys.timezone');
  return print(stdout, `${formatDate(format, timeMs, zone)}\n`);
};

export const uptime: Command = async ({ machine, stdout }) => {
  const zone = machine.properties.get('persist.sys.timezone');
  const minutes = Math.floor((machine.clock.monotonicMs() - machine.bootedAtMs) / 60_000);
  const up = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return print(stdout, ` ${formatDate('%H:%M:%S', machine.clock.now(), zone)} up ${up},  0 users,  load average: 0.05, 0.03, 0.01\n`); // prettier-ignore
};

export const env: Command = async ({ environment, stdout, args, run }) => {
  const command = args.slice(args.findIndex((word) => !/^\w+=/.test(word)));
  if (args.some((word) => !/^\w+=/.test(word))) return run(command);
  for (const [name, value] of environment) await stdout.write(`${name}=${value}\n`);
  return 0;
};

export const getenforce: Command = ({ stdout }) => print(stdout, 'Enforcing\n');
