import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { RealProxy } from '../../testing/real-proxy.js';
import { skip } from '../../testing/skip.js';
import { failureText, ShellPhone } from '../../testing/shell-phone.js';
import { exits } from './exit.js';

/** curl of this machine, in place of the phone's. */
const REAL = 'PATH=${PATH#*:} curl "$@"';
const BY_PROXY = `case "$*" in *-x*) ${REAL};; *) exit 7;; esac`;

describe('row of an exit whose phone has it as the HTTP proxy of its system', () => {
  let usual: RealProxy;
  let phone: ShellPhone | undefined;

  before(async function () {
    if (spawnSync('curl', ['--version']).error !== undefined)
      skip(this, 'needs the program curl (Debian package curl)');
    usual = await RealProxy.start({ scheme: 'http' });
  });
  after(() => usual.close());
  afterEach(() => phone?.remove());

  const run = (curl: string): Promise<string> => {
    phone = new ShellPhone({ curl });
    phone.setHttpProxy(new URL(usual.url()).host);
    return exits.run(phone.asPhones());
  };

  it('passes where the proxy is the only way out, and puts the usual exit back', async () => {
    const passed = usual.passed.length;
    expect(await run(BY_PROXY)).to.equal("by the HTTP proxy of the phone's system, and not past it");
    expect(usual.passed.length).to.equal(passed + 1);
    expect(phone?.exitNow).to.deep.equal({ type: 'direct', country: 'de' });
  });

  it('fails where an app that ignores the setting gets out', async () => {
    expect(await failureText(run(REAL))).to.contain('reached a page past the HTTP proxy of its system');
  });

  it('fails where that is so only once the proxy has ended', async () => {
    const straightOut = 'for last in "$@"; do :; done; PATH=${PATH#*:} curl -s "$last"';
    const failure = await failureText(run(`case "$*" in *-x*) ${REAL} || { ${straightOut}; };; *) exit 7;; esac`));
    expect(failure).to.contain('without the proxy, the phone reached a page directly');
  });

  it('fails where the phone reaches nothing', async () => {
    expect(await failureText(run('exit 7'))).to.contain('reached nothing through the proxy');
  });

  it('uses no proxy where the system names none', async () => {
    phone = new ShellPhone({ curl: BY_PROXY });
    phone.setHttpProxy = () => undefined;
    expect(await failureText(exits.run(phone.asPhones()))).to.contain('reached nothing through the proxy');
  });
});
