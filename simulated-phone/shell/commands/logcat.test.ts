import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { startPhone } from '../../../testing/phone/start-phone.js';
import { until } from '../../../testing/until.js';
import { discardSink, emptySource } from '../../streams/pipe.js';
import { openShell } from '../interpreter/open-shell.js';

describe('logcat that follows the log', () => {
  it('prints a line that comes while it prints those of the past', async () => {
    const world = await startPhone();
    try {
      const { machine } = world.phone;
      await runScript(machine, 'log -t Gap past');
      const client = new AbortController();
      let printed = '';
      const stdout = {
        write: async (bytes: string | Uint8Array) => {
          const isFirst = printed === '';
          printed += Buffer.from(bytes).toString();
          // The reader takes the past lines slowly: meanwhile, a line comes.
          if (isFirst) await runScript(machine, 'log -t Gap meanwhile');
        },
      };
      const { shell, finished } = openShell(machine, { memory: machine.memory.reserve(), signal: client.signal });
      const running = shell.run('logcat -s Gap', { stdin: emptySource, stdout, stderr: discardSink });
      await until(() => printed.includes('past'));
      await runScript(machine, 'log -t Gap later');
      await until(() => printed.includes('later'));
      client.abort();
      await running;
      finished();
      expect(printed.match(/past|meanwhile|later/g)).to.deep.equal(['past', 'meanwhile', 'later']);
    } finally {
      await world.stop();
    }
  });
});
