import { parseShellService } from '../../phone/adb/service-name.js';
import type { Machine } from '../machine/machine.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';
import { serveExec } from './exec-service.js';
import { serveFramebuffer } from './framebuffer-service.js';
import { serveShell } from './shell-service.js';
import { serveSync } from './sync-service.js';

export type Service = (stream: AdbStream) => Promise<void>;

/**
 * Returns the service of a name, as adbd does on a locked production phone. Undefined: the stream is refused. Every name is recorded, even
 * that of a refused service.
 */
export function openService(name: string, machine: Machine): Service | undefined {
  machine.services.add(name);
  if (machine.faults.hang) return waitForEnd;
  const shell = parseShellService(name);
  if (shell) return (stream) => serveShell(stream, machine, shell);
  // The first prefix that fits counts, as in adbd.
  for (const [prefix, open] of Object.entries(SERVICES))
    if (name.startsWith(prefix)) return open(name.slice(prefix.length), machine);
  return undefined;
}

/** The services by their prefix. Other services, such as jdwp, track-jdwp, track-app, tcpip:, usb: and sideload, are refused. */
const SERVICES: Record<string, (argument: string, machine: Machine) => Service | undefined> = {
  'exec:': (command, machine) => (stream) => serveExec(stream, machine, { script: command }),
  'abb_exec:': (words, machine) => (stream) => serveExec(stream, machine, { words: ['cmd', ...words.split('\0')] }),
  'abb:': (words, machine) => (stream) =>
    serveShell(stream, machine, {
      v2: true,
      pty: false,
      term: 'dumb',
      command: '',
      words: ['cmd', ...words.split('\0')],
    }),
  'sync:': (_argument, machine) => (stream) => serveSync(stream, machine),
  'framebuffer:': (_argument, machine) => (stream) => serveFramebuffer(stream, machine),
  'tcp:': (address, machine) => connectInside(`tcp:${address.replace(/^(127\.0\.0\.1|localhost):/, '')}`, machine),
  'localabstract:': (socket, machine) => connectInside(`localabstract:${socket}`, machine),
  'localreserved:': (socket, machine) => connectInside(`localreserved:${socket}`, machine),
  'localfilesystem:': (socket, machine) => connectInside(`localfilesystem:${socket}`, machine),
  'reboot:': rebootService,
  'reverse:': (argument) => (stream) => stream.write(reverseReply(argument)),
  'root:': () => (stream) => stream.write('adbd cannot run as root in production builds\n'),
  'unroot:': () => (stream) => stream.write('adbd not running as root\n'),
  'remount:': () => (stream) => stream.write('Not running as root. Try "adb root" first.\n'),
  'disable-verity:': () => (stream) => stream.write('verity cannot be disabled/enabled - USER build\n'),
  'enable-verity:': () => (stream) => stream.write('verity cannot be disabled/enabled - USER build\n'),
};

/** Serves `reboot:`. The stream stays open until the phone goes down, as on a real phone: clients take its end for success. */
function rebootService(target: string, machine: Machine): Service | undefined {
  const { reboot } = machine;
  if (reboot === undefined || target !== '') return undefined;
  return (stream) => {
    reboot();
    return waitForEnd(stream);
  };
}

function connectInside(socket: string, machine: Machine): Service | undefined {
  return machine.sockets.find(socket);
}

/** Returns the reply to `reverse:`. A list has no status word in front, only its length. */
function reverseReply(argument: string): string {
  if (argument.startsWith('list-forward')) return '0000';
  const text = 'reverse forwarding is not permitted on this device';
  return `FAIL${text.length.toString(16).padStart(4, '0')}${text}`;
}

/** Keeps the stream open without a response: a phone that hangs accepts streams and never responds. */
function waitForEnd(stream: AdbStream): Promise<void> {
  return new Promise((resolve) => stream.closed.addEventListener('abort', () => resolve(), { once: true }));
}
