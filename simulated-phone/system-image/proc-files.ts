import { macOf } from '../system/identity.js';
import type { Machine } from '../machine/machine.js';

/** Files of /proc (and a few of /sys) that clients read, made when they are opened. */
export const procFiles: Readonly<Record<string, (machine: Machine) => string>> = {
  '/sys/class/net/wlan0/address': (machine) => `${macOf(machine.identity)}\n`,
  '/proc/1/stat': (machine) =>
    `1 (init) S 0 0 0 0 -1 4194560 5000 0 80 0 120 240 0 0 20 0 1 0 ${machine.initStartTicks} 11161600 2100 18446744073709551615\n`,
  '/proc/cpuinfo': () =>
    [0, 1]
      .map(
        (core) => `processor\t: ${core}\nvendor_id\t: Simulated\nmodel name\t: Simulated CPU\ncpu MHz\t\t: 2000.000\n`,
      )
      .join('\n'),
  '/proc/loadavg': (machine) =>
    `0.05 0.03 0.01 1/${machine.processes.list().length} ${machine.processes.list().length}\n`,
  '/proc/meminfo': (machine) => {
    const totalKb = machine.identity.model.memoryMb * 1024;
    const rows: [string, number][] = [
      ['MemTotal', totalKb],
      ['MemFree', Math.round(totalKb * 0.21)],
      ['MemAvailable', Math.round(totalKb * 0.55)],
      ['Buffers', Math.round(totalKb * 0.01)],
      ['Cached', Math.round(totalKb * 0.33)],
      ['SwapTotal', 0],
      ['SwapFree', 0],
    ];
    return rows.map(([name, kb]) => `${`${name}:`.padEnd(16)}${String(kb).padStart(8)} kB\n`).join('');
  },
  '/proc/mounts': () =>
    '/dev/block/dm-0 / ext4 ro,seclabel,relatime 0 0\n/dev/block/dm-1 /data f2fs rw,lazytime,seclabel 0 0\n' +
    '/dev/fuse /storage/emulated fuse rw,lazytime,nosuid,nodev,noexec 0 0\n',
  '/proc/net/tcp': (machine) => {
    const ports = machine.sockets.names().flatMap((name) => (name.startsWith('tcp:') ? [Number(name.slice(4))] : []));
    const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
    return head + ports.map((port, index) => `${String(index).padStart(4)}: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  2000        0 ${20_000 + index} 1 0000000000000000 100 0 0 10 0\n`).join(''); // prettier-ignore
  },
  '/proc/net/tcp6': () =>
    '  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n',
  '/proc/net/unix': (machine) => {
    const head = 'Num       RefCount Protocol Flags    Type St Inode Path\n';
    const names = machine.sockets.names().filter((name) => name.startsWith('localabstract:'));
    return head + names.map((name, index) => `0000000000000000: 00000002 00000000 00010000 0001 01 ${30_000 + index} @${name.slice('localabstract:'.length)}\n`).join(''); // prettier-ignore
  },
  '/proc/sys/kernel/random/boot_id': (machine) => `${machine.bootId}\n`,
  '/proc/stat': () =>
    'cpu  1000 0 1000 100000 0 0 0 0 0 0\ncpu0 500 0 500 50000 0 0 0 0 0 0\ncpu1 500 0 500 50000 0 0 0 0 0 0\n',
  '/proc/uptime': (machine) => {
    const uptimeS = (machine.clock.monotonicMs() - machine.bootedAtMs) / 1000;
    return `${uptimeS.toFixed(2)} ${(uptimeS * 1.8).toFixed(2)}\n`;
  },
  '/proc/version': () =>
    'Linux version 5.15.0-simulated (build@cloudphone) #1 SMP PREEMPT Thu Jan 1 00:00:00 UTC 2026\n',
  '/sys/class/power_supply/battery/capacity': ({ conditions }) => `${conditions.battery.level}\n`,
  '/sys/class/power_supply/battery/status': ({ conditions: { battery } }) =>
    `${!battery.charging ? 'Discharging' : battery.level === 100 ? 'Full' : 'Charging'}\n`,
};
