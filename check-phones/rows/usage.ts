import { demand } from '../demand.js';
import { runOperatorCommand } from '../operator-command.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/**
 * This row comes after those of the screen and of adb, as an idle phone takes less memory than a used one. The disk is only shown, as the
 * API has no disk size of a model to compare it with.
 */
export const usesHost: Row = {
  name: 'memory and disk of one phone against the model',
  run: async (phones) => {
    const { usageCommand } = phones.options;
    if (usageCommand === undefined) throw new NotOffered('no --usage-command');
    const phone = phones.get(MAIN);
    const { serial } = await phone.startFacts();
    const printed = await runOperatorCommand(usageCommand, '--usage-command', { serial, name: phone.name });
    const [memoryMb, diskMb] = numbersIn(printed);
    const { memory_mb: modelMb } = phones.model;
    const text = `${memoryMb} MiB of memory; the model has ${modelMb}`;
    demand(
      memoryMb <= modelMb,
      `it takes ${text} ("memory_mb" of GET /v1/models): the host would be given too many phones`,
    );
    return `${text}. ${diskMb} MiB on disk`;
  },
};

/** Returns two numbers, which may have a decimal point. A phone has memory, so a command that prints 0 for it measured something else. */
function numbersIn(printed: string): [memoryMb: number, diskMb: number] {
  const words = printed.trim().split(/\s+/);
  const [memoryMb = NaN, diskMb = NaN] = words.map((word) => (/^\d+(\.\d+)?$/.test(word) ? Number(word) : NaN));
  demand(
    words.length === 2 && memoryMb > 0 && diskMb >= 0,
    `--usage-command has to print two numbers, the memory and the disk in MiB. It printed: ${printed.trim().slice(0, 200)}`,
  );
  return [Math.round(memoryMb), Math.round(diskMb)];
}
