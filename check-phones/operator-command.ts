import { exec } from 'node:child_process';

/**
 * Runs a command of the operator's own in a shell of this machine, and returns its output. `{serial}` and `{device}` in the command are
 * replaced. The error of a command that fails names `option`, from which the command came.
 */
export function runOperatorCommand(
  command: string,
  option: string,
  { serial, name }: { serial: string; name: string },
): Promise<string> {
  const whole = command.replaceAll('{serial}', serial).replaceAll('{device}', name);
  return new Promise((resolve, reject) => {
    exec(whole, { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${option} failed: ${stderr.trim() || error.message}`));
    });
  });
}
