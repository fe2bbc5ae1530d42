/** Options that the stand-in accepts: those that the driver uses, and some that people often use with the real programs. */
const WITH_VALUE = [
  '-avd',
  '-ports',
  '-grpc',
  '-android-serialno',
  '-timezone',
  '-gpu',
  '-memory',
  '-cores',
  '-feature',
] as const;
const WITHOUT_VALUE = [
  '-grpc-use-token',
  '-no-window',
  '-no-audio',
  '-no-boot-anim',
  '-no-snapshot',
  '-no-snapshot-load',
  '-no-snapshot-save',
  '-skip-adb-auth',
  '-wipe-data',
  '-accel-check',
  '-version',
  '-help',
] as const;

export type Options = ReadonlyMap<string, string>;

/** Throws an error with the emulator's own text for an option that this version does not have. */
export function parseOptions(words: readonly string[], lacks: readonly string[] = []): Options {
  const options = new Map<string, string>();
  const left = words.values();
  for (const word of left) {
    const isKnown = (names: readonly string[]): boolean => names.includes(word) && !lacks.includes(word);
    if (isKnown(WITH_VALUE)) {
      const { value, done } = left.next();
      if (done === true) throw new Error(`option ${word} must be followed by an argument`);
      options.set(word, value);
    } else if (isKnown(WITHOUT_VALUE)) options.set(word, '');
    else throw new Error(`unknown option: ${word}\nplease use -help for a list of valid options`);
  }
  return options;
}

export function helpText(lacks: readonly string[] = []): string {
  const lines = [...WITH_VALUE.map((name) => `${name} <value>`), ...WITHOUT_VALUE]
    .filter((line) => !lacks.includes(line.split(' ')[0] ?? ''))
    .map((line) => `    ${line.padEnd(70)} see the documentation`);
  return `Android Emulator usage: emulator [options] [-qemu args]\n  options:\n${lines.join('\n')}\n`;
}
