import { randomBytes } from 'node:crypto';
import { arch, release } from 'node:os';
import { CloudPhone } from '../client/src/index.js';
import { CheckedPhones } from './checked-phones.js';
import { type CheckOptions, HELP, readCheckConfig } from './config.js';
import { hostFactsIn } from './host-facts.js';
import { runOperatorCommand } from './operator-command.js';
import { type OwnService, startOwnService } from './own-service.js';
import { isPassed, jsonOf, tableOf } from './report.js';
import { ROWS } from './rows.js';
import { runChecks } from './run-checks.js';
import { StockAdb } from './stock-adb.js';

// Makes one phone, uses it and deletes it, over the public API and a stock adb. The report goes to standard output, progress to standard
// error.
try {
  const options = readCheckConfig(process.argv.slice(2), process.env);
  if (options === undefined) process.stdout.write(HELP);
  else process.exitCode = (await check(options)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function check(options: CheckOptions): Promise<boolean> {
  // A command that fails ends the check before it has cost anything.
  const { aboutCommand: command } = options;
  const printed = command && (await runOperatorCommand(command, '--about-command', { serial: '', name: '' }));
  const host = hostFactsIn(printed ?? '');
  const adb = await StockAdb.start(process.env);
  let own: OwnService | undefined;
  try {
    own = options.service === undefined ? await startOwnService(process.env) : undefined;
    const { url, key } = options.service ?? own ?? { url: '', key: '' };
    const api = new CloudPhone({ url, key, userAgent: 'check-phones' });
    const { models } = await api.get('/v1/models');
    const model = models.find((one) => one.model === options.model);
    if (model === undefined)
      throw new Error(
        `--model "${options.model}" is not offered. There are: ${models.map((one) => one.model).join(', ')}.`,
      );
    const run = randomBytes(3).toString('hex');
    const phones = new CheckedPhones({ api, adb, model, options, run });
    const results = await runChecks(phones, ROWS, ({ row, outcome }) => process.stderr.write(`${outcome}: ${row}\n`));
    const android = options.android ?? model.android[0] ?? '';
    const about = { model: model.model, android, kernel: release(), processor: arch(), host };
    process.stdout.write(options.json ? jsonOf(results, about) : `\n${tableOf(results)}`);
    return isPassed(results);
  } finally {
    await own?.stop();
    await adb.stop();
  }
}
