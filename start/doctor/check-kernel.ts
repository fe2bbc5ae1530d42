import { stat } from 'node:fs/promises';
import { binderObstacle } from '../../phone/container/binder.js';
import type { ImageBasedModel } from '../../phone/image-based/model.js';
import type { DriverKind } from '../../device-service/devices/phones/open-drivers.js';
import { type Finding, fail, type Machine, ok, skipped, warn } from './finding.js';

/** Least values of the kernel's settings for some tens of phones in containers. Each Android takes about 100 processes. */
const SYSCTLS = [
  { name: 'fs.inotify.max_user_instances', least: 8_192, why: 'each Android watches many folders' },
  { name: 'fs.inotify.max_user_watches', least: 524_288, why: 'each Android watches many folders' },
  { name: 'kernel.pid_max', least: 65_536, why: 'each Android has hundreds of processes and threads' },
  { name: 'kernel.threads-max', least: 65_536, why: 'each Android has hundreds of processes and threads' },
  { name: 'net.netfilter.nf_conntrack_max', least: 65_536, why: 'each connection of a phone takes an entry' },
];

/** Checks modules, devices and settings of the kernel that phones need. */
export async function checkKernel(
  kinds: readonly DriverKind[],
  models: readonly ImageBasedModel[],
  machine: Machine,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (kinds.includes('emulator')) findings.push(await checkKvm());
  if (!kinds.includes('container')) return [...findings, skipped('kernel', 'no phones in containers here')];
  const isBinderWanted = models.some((model) => model.driver === 'container' && model.binder);
  const obstacle = isBinderWanted ? binderObstacle() : undefined;
  findings.push(
    obstacle === undefined
      ? ok('kernel modules', isBinderWanted ? 'the kernel has binder' : 'no model needs binder')
      : fail(
          'kernel modules',
          obstacle,
          'Load it, and name it in /etc/modules-load.d, so that it is there after a reboot.',
        ),
  );
  findings.push(
    (await machine.run('nft', ['--version'])) === undefined
      ? fail('firewall', 'the program nft is missing', 'Install the package nftables.')
      : ok('firewall', 'the program nft is there'),
  );
  return [...findings, ...(await Promise.all(SYSCTLS.map((wanted) => checkSysctl(wanted, machine))))];
}

async function checkSysctl({ name, least, why }: (typeof SYSCTLS)[number], machine: Machine): Promise<Finding> {
  const text = await machine.readText(`/proc/sys/${name.replaceAll('.', '/')}`);
  const check = `sysctl ${name}`;
  if (text === undefined) return skipped(check, 'this kernel does not show it');
  const value = Number(text);
  if (value >= least) return ok(check, String(value));
  const next = `Put "${name} = ${least}" into /etc/sysctl.d/90-cloudphone.conf and run: sysctl --system`;
  return warn(check, `${value} is less than ${least}: ${why}`, next);
}

async function checkKvm(): Promise<Finding> {
  const device = await stat('/dev/kvm').catch(() => undefined);
  if (device?.isCharacterDevice() === true) return ok('kvm', '/dev/kvm is there');
  const next =
    'Load kvm_intel or kvm_amd, allow virtualization in the firmware, and set PrivateDevices=no in the unit.';
  return fail('kvm', '/dev/kvm is not there, so emulators do not run', next);
}
