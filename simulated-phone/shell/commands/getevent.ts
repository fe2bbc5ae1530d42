import { EvAbs, EvKey, EvType } from '../../../phone/evdev/codes.js';
import { encodeEvents, EVENT_BYTES, type EvdevEvent } from '../../../phone/evdev/input-event.js';
import type { InputDevice } from '../../input-devices/input-device.js';
import { CommandFailure, type Command, type CommandCall } from '../command.js';
import { parseOptions } from '../options.js';

/** Describes the input devices (`-p`, `-i`), or prints their events until the client leaves or `-c` events were printed. */
export const getevent: Command = async (call) => {
  const options = parseOptions(call.args, {
    flags: ['t', 'n', 'S', 'd', 'p', 'i', 'l', 'q', 'r'],
    values: ['c', 's', 'v'],
  });
  const [path] = options.rest;
  const devices = path === undefined ? [...call.machine.inputDevices.values()] : [deviceAt(call, path)];
  const labels = options.has('l');
  const describes = options.has('p') || options.has('i');
  if (describes || path === undefined) {
    // The newest device of the kernel is listed first.
    for (const [at, device] of [...devices].reverse().entries()) {
      await call.stdout.write(describe(device, at + 1, { labels, whole: describes }));
    }
  }
  if (describes) return 0;
  const count = Number(options.value('c') ?? Infinity);
  await follow(call, devices, {
    count: Number.isInteger(count) && count > 0 ? count : Infinity,
    line: (device, event) => {
      const seconds = (call.machine.clock.monotonicMs() / 1000).toFixed(6).padStart(15);
      const place = path === undefined ? `${device.facts.path}: ` : '';
      return `${options.has('t') ? `[${seconds}] ` : ''}${place}${labels ? labelled(event) : plain(event)}\n`;
    },
  });
  return 0;
};

/** `sendevent DEVICE TYPE CODE VALUE`, in decimal. */
export const sendevent: Command = async (call) => {
  const [path, ...words] = call.args;
  const [type, code, value] = words.map(Number);
  if (path === undefined || words.length !== 3 || ![type, code, value].every(Number.isInteger)) {
    throw new CommandFailure('use: sendevent device type code value', { bare: true });
  }
  const event = { type: (type ?? 0) & 0xffff, code: (code ?? 0) & 0xffff, value: (value ?? 0) | 0 };
  deviceAt(call, path).write(encodeEvents([event], EVENT_BYTES.bits64));
  return 0;
};

function deviceAt({ machine, name }: CommandCall, path: string): InputDevice {
  const device = machine.inputDevices.get(path);
  if (!device) throw new CommandFailure(`${name}: could not open ${path}, No such file or directory`, { bare: true });
  return device;
}

async function follow(
  call: CommandCall,
  devices: readonly InputDevice[],
  { count, line }: { count: number; line: (device: InputDevice, event: EvdevEvent) => string },
): Promise<void> {
  const readers = devices.map((device) => ({ device, reader: device.events() }));
  const close = (): void => {
    for (const { reader } of readers) reader.close();
  };
  call.signal.addEventListener('abort', close, { once: true });
  let left = count;
  const print = async ({ device, reader }: (typeof readers)[number]): Promise<void> => {
    for (let events = await reader.take(); events; events = await reader.take()) {
      for (const event of events) {
        if (left-- > 0) await call.stdout.write(line(device, event));
        if (left <= 0) close();
      }
    }
  };
  try {
    await Promise.all(readers.map(print));
  } finally {
    close();
    call.signal.removeEventListener('abort', close);
  }
}

const TYPE_NAMES: Readonly<Record<number, string>> = { 0: 'EV_SYN', 1: 'EV_KEY', 3: 'EV_ABS' };
const keyNames = new Map<number, string>(Object.entries(EvKey).map(([name, code]) => [code, name]));
const axisNames = new Map<number, string>(Object.entries(EvAbs).map(([name, code]) => [code, name]));

function describe(device: InputDevice, number: number, { labels, whole }: { labels: boolean; whole: boolean }): string {
  const { path, name, keys, axes, direct } = device.facts;
  const head = `add device ${number}: ${path}\n  name:     "${name}"\n`;
  if (!whole) return head;
  const lines: string[] = [];
  if (keys.length > 0) {
    const names = keys.map((code) => (labels ? (keyNames.get(code) ?? hex(code)).padEnd(21) : hex(code)));
    lines.push(`    KEY (0001): ${names.join(' ')} `);
  }
  [...axes].forEach(([code, { min, max }], at) => {
    const axis = labels ? (axisNames.get(code) ?? hex(code)).padEnd(21) : `${hex(code)} `;
    const indent = at === 0 ? '    ABS (0003): ' : ' '.repeat(16);
    lines.push(`${indent}${axis} : value 0, min ${min}, max ${max}, fuzz 0, flat 0, resolution 0`);
  });
  return `${head}  events:\n${lines.join('\n')}\n  input props:\n    ${direct ? 'INPUT_PROP_DIRECT' : '<none>'}\n`;
}

function plain({ type, code, value }: EvdevEvent): string {
  return `${hex(type)} ${hex(code)} ${(value >>> 0).toString(16).padStart(8, '0')}`;
}

function labelled({ type, code, value }: EvdevEvent): string {
  const names = type === EvType.KEY ? keyNames : type === EvType.ABS ? axisNames : new Map([[0, 'SYN_REPORT']]);
  const shown = type === EvType.KEY ? (value === 0 ? 'UP' : 'DOWN') : (value >>> 0).toString(16).padStart(8, '0');
  const name = names.get(code) ?? hex(code);
  return `${(TYPE_NAMES[type] ?? hex(type)).padEnd(12)} ${name.padEnd(20)} ${shown.padEnd(20)}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
