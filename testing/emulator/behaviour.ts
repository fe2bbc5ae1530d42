import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the stand-in differs from an emulator without faults. */
export interface Behaviour {
  /** `-accel-check` ends with this status and reason. */
  accel?: { status: number; reason: string };
  /** Options that this version does not have. */
  lacks?: string[];
  /**
   * How the launch goes:
   * - `exits`: a message and status 1 before it has ports;
   * - `hangs`: it never has ports;
   * - `other-avd`: its discovery file names another AVD;
   * - `killed`: it kills itself once it has ports.
   */
  launch?: 'exits' | 'hangs' | 'other-avd' | 'killed';
  /** How long the simulated phone boots, ms. */
  bootMs?: number;
  /** `never`: the boot does not complete; `exits`: the emulator ends in the middle; `silent`: ADB takes connections and no bytes. */
  boot?: 'never' | 'exits' | 'silent';
  /**
   * How the console behaves:
   * - `refuses`: no token is right;
   * - `hangs`: it reads and never replies;
   * - `deaf`: `kill` is accepted and not done;
   * - `no-conditions`: it does not know the commands for conditions;
   * - `hangs-later`: it never replies to commands for conditions.
   */
  console?: 'refuses' | 'hangs' | 'deaf' | 'no-conditions' | 'hangs-later';
  /** Android does not shut down when it is requested to. */
  ignoresShutdown?: boolean;
  ignoresSigterm?: boolean;
  /** Starts a process that goes on when the emulator ends. */
  leavesProcess?: boolean;
}

const FILE = 'stand-in.json';

/** Reads the file in the AVD's folder. Where it has none, reads the file that is for the whole SDK. */
export function readBehaviour(avdFolder: string | undefined, androidHome: string): Behaviour {
  for (const folder of [avdFolder, androidHome]) {
    if (folder === undefined) continue;
    try {
      return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Behaviour;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return {};
}

export const BEHAVIOUR_FILE = FILE;
