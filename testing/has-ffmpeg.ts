import { spawnSync } from 'node:child_process';

/** Whether the machine has the program that simulated phones encode video with. */
export const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
