import { demand } from '../demand.js';
import { runOperatorCommand } from '../operator-command.js';
import { NotOffered, type Row } from '../row.js';
import { MAIN } from './life.js';

/** After the rows of the screen and of adb: an idle phone shows less than a used one. The API shows no disk of a model to compare. */
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

/** Two numbers, whole or with a decimal point. Memory cannot be none: then the command measured something else. */
function numbersIn(printed: string): [memoryMb: number, diskMb: number] {
  const words = printed.trim().split(/\s+/);
  const [memoryMb = NaN, diskMb = NaN] = words.map((word) => (/^\d+(\.\d+)?$/.test(word) ? Number(word) : NaN));
  demand(
    words.length === 2 && memoryMb > 0 && diskMb >= 0,
    `--usage-command has to print two numbers, the memory and the disk in MiB. It printed: ${printed.trim().slice(0, 200)}`,
  );
  return [Math.round(memoryMb), Math.round(diskMb)];
}
