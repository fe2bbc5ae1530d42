import { macOf } from '../../system/identity.js';
import { CommandFailure, type Command } from '../command.js';

const ADDRESS = '10.0.2.16';

/** `ip addr`, `ip route` and `ip link` of a phone behind a router. */
export const ip: Command = async ({ args, machine, stdout }) => {
  const words = args.filter((word) => !word.startsWith('-'));
  const [object = 'addr', , , device] = words;
  const wlan = words.includes('wlan0') || device === undefined;
  if (/^a/.test(object)) {
    if (!words.includes('wlan0')) await stdout.write('1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n'); // prettier-ignore
    if (wlan) await stdout.write(`2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n    link/ether ${macOf(machine.identity)} brd ff:ff:ff:ff:ff:ff\n    inet ${ADDRESS}/24 brd 10.0.2.255 scope global wlan0\n       valid_lft forever preferred_lft forever\n`); // prettier-ignore
  } else if (/^r/.test(object)) await stdout.write(`10.0.2.0/24 dev wlan0 proto kernel scope link src ${ADDRESS}\n`);
  else if (/^l/.test(object))
    await stdout.write(`2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether ${macOf(machine.identity)} brd ff:ff:ff:ff:ff:ff\n`); // prettier-ignore
  else throw new CommandFailure(`Object "${object}" is unknown, try "ip help".`, { bare: true, status: 255 });
  return 0;
};

export const ifconfig: Command = async ({ args, machine, stdout }) => {
  const [device] = args;
  if (device !== undefined && device !== 'wlan0' && device !== 'lo')
    throw new CommandFailure(`${device}: No such device`);
  if (device !== 'lo') await stdout.write(`wlan0     Link encap:Ethernet  HWaddr ${macOf(machine.identity)}\n          inet addr:${ADDRESS}  Bcast:10.0.2.255  Mask:255.255.255.0\n          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n`); // prettier-ignore
  if (device !== 'wlan0') await stdout.write('lo        Link encap:Local Loopback\n          inet addr:127.0.0.1  Mask:255.0.0.0\n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n'); // prettier-ignore
  return 0;
};

/**
 * `ping`. The phone has no raw sockets. So only `localhost` and the phone's own addresses respond, and every other target is an unknown
 * host.
 */
export const ping: Command = async ({ args, stdout, signal, machine }) => {
  const target =
    args.filter((word, at) => !word.startsWith('-') && !/^-[cWiwsI]$/.test(args[at - 1] ?? '')).at(-1) ?? '';
  if (!/^(127\.|localhost$|10\.0\.2\.16$)/.test(target))
    throw new CommandFailure(`unknown host ${target}`, { status: 2 });
  const count = args.includes('-c') ? Number(args[args.indexOf('-c') + 1]) : Infinity;
  await stdout.write(`PING ${target} (127.0.0.1) 56(84) bytes of data.\n`);
  for (let sequence = 1; sequence <= count && !signal.aborted; sequence++) {
    if (sequence > 1) await machine.clock.sleep(1_000, signal);
    await stdout.write(`64 bytes from 127.0.0.1: icmp_seq=${sequence} ttl=64 time=0.05 ms\n`);
  }
  return 0;
};
