import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { startPhone } from '../../../testing/phone/start-phone.js';

describe('notifications from the shell', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => {
    world = await startPhone();
  });
  after(() => world.stop());

  const shell = (script: string) => runScript(world.phone.machine, script);

  it('are posted, listed and described', async () => {
    const posted = await shell("cmd notification post -t 'Build done' ci 'All 42 tests pass'");
    expect(posted).to.include({ status: 0 });
    expect(posted.stdout).to.match(/^posting:\n {2}Notification\(/);
    expect((await shell('cmd notification list')).stdout).to.equal('0|com.android.shell|1|ci|2000\n');
    expect((await shell('dumpsys notification')).stdout)
      .to.contain('android.title=String (Build done)')
      .and.contain('android.text=String (All 42 tests pass)');
    expect(await shell('cmd notification post only-a-tag')).to.include({ status: 255 });
  });

  it('are shown and put away, and the shade has the focus meanwhile', async () => {
    await shell('cmd statusbar expand-notifications');
    expect(world.screen.shadeOpen).to.equal(true);
    expect((await shell('dumpsys window displays | grep mCurrentFocus')).stdout).to.match(/u0 NotificationShade}/);
    expect((await shell('dumpsys window displays | grep mFocusedApp')).stdout).to.contain('com.example.home');
    await shell('cmd statusbar collapse');
    expect(world.screen.shadeOpen).to.equal(false);
  });
});
