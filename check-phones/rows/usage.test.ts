import { expect } from 'chai';
import { NotOffered } from '../row.js';
import { failureText, ShellPhone } from '../../testing/shell-phone.js';
import { usesHost } from './usage.js';

describe('row of memory and disk', () => {
  let phone: ShellPhone;
  beforeEach(() => (phone = new ShellPhone({})));
  afterEach(() => phone.remove());

  const run = (usageCommand: string | undefined): Promise<string> => usesHost.run(phone.asPhones({ usageCommand }));

  it('passes within the memory of the model', async () => {
    expect(await run('test {serial}-{device} = SERIAL1-check-phone && echo 2047.5 900')).to.equal(
      '2048 MiB of memory; the model has 2048. 900 MiB on disk',
    );
  });

  it('fails beyond it', async () => {
    expect(await failureText(run('echo 2100 900'))).to.contain('it takes 2100 MiB of memory; the model has 2048');
  });

  for (const printed of ['', '100', '100MiB 3', '0 5', '1 2 3']) {
    it(`fails where the command prints "${printed}"`, async () => {
      expect(await failureText(run(`echo ${printed}`))).to.contain('has to print two numbers');
    });
  }

  it('is not offered without the command', async () => {
    const error: unknown = await run(undefined).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(NotOffered);
  });
});
