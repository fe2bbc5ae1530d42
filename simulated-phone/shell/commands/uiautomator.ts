import { PhoneFileError } from '../../files/file-error.js';
import { CommandFailure, pathOf, type Command, type CommandCall, print } from '../command.js';

const DEFAULT_FILE = '/sdcard/window_dump.xml';

/**
 * `uiautomator dump [--compressed] [FILE]`. As the real command, it ends with status 0 and leaves the old file in place when there was
 * nothing to dump. Only the text shows that.
 */
export const uiautomator: Command = async (call) => {
  const [verb, ...args] = call.args;
  if (verb !== 'dump') throw new CommandFailure('Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\ndump: creates an XML dump of current UI hierarchy', { bare: true, status: 1 }); // prettier-ignore
  const compressed = args.includes('--compressed');
  const file = args.find((word) => !word.startsWith('--')) ?? DEFAULT_FILE;
  const { machine } = call;
  if (machine.faults.treeDelayMs > 0) await machine.clock.sleep(machine.faults.treeDelayMs, call.signal);
  const disconnect = machine.automation.connect(() => undefined);
  const xml = await dumped(call, compressed).finally(disconnect);
  if (typeof xml !== 'object') return 0;
  if (file === '/dev/tty') {
    await call.stdout.write(xml);
    return print(call.stdout, 'UI hierchary dumped to: /dev/tty\n');
  }
  if (machine.faults.lie !== 'stale-dump') {
    try {
      const writer = await machine.shellFiles.receive(pathOf(call, file), 0o660);
      await writer.write(xml);
      await writer.commit();
    } catch (error) {
      if (!(error instanceof PhoneFileError)) throw error;
      await call.stderr.write(`java.io.FileNotFoundException: ${file}: open failed: ${error.code} (${error.reason})\n`);
      return 1;
    }
  }
  return print(call.stdout, `UI hierchary dumped to: ${file}\n`);
};

async function dumped(call: CommandCall, compressed: boolean): Promise<Buffer | undefined> {
  const { lie } = call.machine.faults;
  if (lie === 'huge-line') return Buffer.concat([Buffer.from(XML_HEAD), Buffer.alloc(HUGE_BYTES, 'x')]);
  if (lie === 'xml-bomb') return Buffer.from(XML_BOMB);
  if (lie === 'not-utf8') return Buffer.concat([Buffer.from(`${XML_HEAD}<node text="`), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"/></hierarchy>')]); // prettier-ignore
  const outcome =
    lie === 'null-root'
      ? ({ kind: 'null-root' } as const)
      : await call.machine.screen.dump({ compressed, signal: call.signal });
  switch (outcome.kind) {
    case 'xml':
      return Buffer.from(outcome.xml, 'utf8');
    case 'not-idle':
      await call.stderr.write('ERROR: could not get idle state.\n');
      return undefined;
    case 'null-root':
      await call.stderr.write('ERROR: null root node returned by UiTestAutomationBridge.\n');
      return undefined;
  }
}

const XML_HEAD = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">`;
const HUGE_BYTES = 96 * 1024 * 1024;
const XML_BOMB =
  `<?xml version='1.0'?><!DOCTYPE h [<!ENTITY a "${'A'.repeat(1_000)}">` +
  Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY ${'bcdefghij'[at] ?? 'z'} "${`&${'abcdefghi'[at] ?? 'a'};`.repeat(10)}">`,
  ).join('') +
  `]><hierarchy rotation="0"><node text="&j;"/></hierarchy>`;
