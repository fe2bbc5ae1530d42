import { CommandFailure, type Command, type CommandCall } from '../command.js';
import { longPressMs } from '../../settings/long-press.js';
import { keyCodes } from '../../../phone/screen/key-codes.js';

const SOURCES = new Set(['keyboard', 'dpad', 'gamepad', 'touchscreen', 'mouse', 'stylus', 'trackball', 'touchpad', 'touchnavigation', 'joystick']); // prettier-ignore

const USAGE = `Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
${[...SOURCES].map((source) => `      ${source}`).join('\n')}

The commands and default sources are:
      text <string> (Default: keyboard)
      keyevent [--longpress|--duration <duration to hold key down in ms>] [--doubletap] [--async] [--delay <duration between keycodes in ms>] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)
`;

export const input: Command = async (call) => {
  const words = [...call.args];
  if (SOURCES.has(words[0] ?? '')) words.shift();
  if (words[0] === '-d') words.splice(0, 2);
  const [name = '', ...args] = words;
  const run = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (name === '' || name === 'help' || name === '--help') {
    await call.stderr.write(USAGE);
    return name === '' ? 255 : 0;
  }
  if (!run) throw new CommandFailure(`Error: Unknown command: ${name}\n${USAGE}`, { bare: true, status: 255 });
  await run(call, args);
  return 0;
};

const FORMS: Record<string, (call: CommandCall, args: string[]) => Promise<void>> = {
  tap: async ({ machine }, args) => {
    const [x, y] = numbers('tap', args, 2);
    machine.screen.touch({ phase: 'down', x, y, pointer: 0 });
    machine.screen.touch({ phase: 'up', x, y, pointer: 0 });
  },
  swipe: (call, args) => drag(call, 'swipe', args, 0),
  // The finger rests until the long press is taken, then moves.
  draganddrop: (call, args) => drag(call, 'draganddrop', args, longPressMs(call.machine.settings) + 100),
  motionevent: async ({ machine }, args) => {
    const [action = '', ...place] = args;
    const phase = ({ DOWN: 'down', MOVE: 'move', UP: 'up', CANCEL: 'cancel' } as const)[action.toUpperCase()];
    if (!phase) throw invalid('motionevent');
    const [x, y] = phase === 'cancel' && place.length === 0 ? [0, 0] : numbers('motionevent', place, 2);
    machine.screen.touch({ phase, x, y, pointer: 0 });
  },
  text: async ({ machine }, args) => {
    const [text] = args;
    if (text === undefined) throw invalid('text');
    const typed = text.replaceAll('%s', ' ');
    // The virtual keyboard's map has ASCII only; other characters make Android's own command crash.
    if (!/^[\x20-\x7e]*$/.test(typed)) throw new CommandFailure(NO_EVENTS_TRACE, { bare: true, status: 255 });
    machine.screen.commitText(typed);
  },
  keyevent: async (call, args) => {
    const { machine, signal } = call;
    let holdMs = 0;
    let delayMs = 0;
    let presses = 1;
    const codes: number[] = [];
    const words = [...args];
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === '--longpress') holdMs = longPressMs(machine.settings);
      else if (word === '--duration') holdMs = Number(words.shift() ?? 0);
      else if (word === '--delay') delayMs = Number(words.shift() ?? 0);
      else if (word === '--doubletap') presses = 2;
      else if (word !== '--async') codes.push(known(word));
    }
    if (codes.length === 0) throw invalid('keyevent');
    for (const [at, code] of codes.entries()) {
      if (at > 0 && delayMs > 0) await machine.clock.sleep(delayMs, signal);
      for (let press = 0; press < presses; press++) {
        machine.screen.key({ code, phase: 'down' });
        if (holdMs > 0) await machine.clock.sleep(holdMs, signal);
        machine.screen.key({ code, phase: 'up' });
      }
    }
  },
  keycombination: async ({ machine, signal }, args) => {
    const holdMs = args[0] === '-t' ? Number(args[1]) : 0;
    const codes = (args[0] === '-t' ? args.slice(2) : args).map(known);
    if (codes.length < 2) throw invalid('keycombination');
    for (const code of codes) machine.screen.key({ code, phase: 'down' });
    if (holdMs > 0) await machine.clock.sleep(holdMs, signal);
    for (const code of codes.reverse()) machine.screen.key({ code, phase: 'up' });
  },
  // A press of the trackball has no effect, as on a phone without one.
  press: async () => undefined,
  roll: async (_call, args) => void numbers('roll', args, 2),
};

const DEFAULT_SWIPE_MS = 300;
const MOVE_EVERY_MS = 8;

async function drag({ machine, signal }: CommandCall, name: string, args: string[], restMs: number): Promise<void> {
  const [x1, y1, x2, y2] = numbers(name, args.slice(0, 4), 4);
  const durationMs = args[4] === undefined ? DEFAULT_SWIPE_MS : Number(args[4]);
  if (!Number.isFinite(durationMs) || durationMs < 0) throw invalid(name);
  const { clock, screen } = machine;
  screen.touch({ phase: 'down', x: x1, y: y1, pointer: 0 });
  try {
    if (restMs > 0) await clock.sleep(restMs, signal);
    const startMs = clock.monotonicMs();
    for (let passedMs = 0; passedMs < durationMs; passedMs = clock.monotonicMs() - startMs) {
      const part = passedMs / durationMs;
      if (passedMs > 0) screen.touch({ phase: 'move', x: x1 + (x2 - x1) * part, y: y1 + (y2 - y1) * part, pointer: 0 });
      await clock.sleep(Math.min(MOVE_EVERY_MS, durationMs - passedMs), signal);
    }
  } catch (error) {
    // A finger must not stay on the glass when the command is killed.
    screen.touch({ phase: 'cancel', x: x2, y: y2, pointer: 0 });
    throw error;
  }
  screen.touch({ phase: 'move', x: x2, y: y2, pointer: 0 });
  screen.touch({ phase: 'up', x: x2, y: y2, pointer: 0 });
}

function numbers(command: string, args: readonly string[], count: 2): [number, number];
function numbers(command: string, args: readonly string[], count: 4): [number, number, number, number];
function numbers(command: string, args: readonly string[], count: number): number[] {
  const values = args.map(Number);
  if (values.length !== count || args.includes('') || !values.every(Number.isFinite)) throw invalid(command);
  return values;
}

function known(word: string): number {
  const code = keyCode(word);
  if (code === undefined) throw invalid('keyevent');
  return code;
}

function invalid(command: string): CommandFailure {
  return new CommandFailure(`Error: Invalid arguments for command: ${command}\n${USAGE}`, { bare: true, status: 255 });
}

const NO_EVENTS_TRACE = `
Exception occurred while executing 'text':
java.lang.NullPointerException: Attempt to get length of null array
\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:302)
\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:286)
\tat com.android.server.input.InputShellCommand.handleDefaultCommands(InputShellCommand.java:242)`;

/** Returns the code of a key such as `66`, `ENTER` or `KEYCODE_ENTER`; undefined for an unknown name. */
function keyCode(word: string): number | undefined {
  if (/^\d+$/.test(word)) return Number(word);
  return keyCodes.get(word.toUpperCase().replace(/^KEYCODE_/, ''));
}
