import type { Command } from '../command.js';
import { cat, tee } from './cat.js';
import { echo, printf, yes } from './echo.js';
import { getprop, setprop } from './properties.js';
import { screencap } from './screencap.js';
import { sh } from './sh.js';
import { sleep, timeout, usleep } from './sleep.js';

const succeed: Command = async () => 0;
const fail: Command = async () => 1;

/** Every program of the phone by name, as in /system/bin. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    cat, echo, getprop, printf, screencap, setprop, sh, sleep, tee, timeout, usleep, yes,
    true: succeed,
    false: fail,
    sync: succeed,
  }),
); // prettier-ignore
