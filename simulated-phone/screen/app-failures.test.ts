import { expect } from 'chai';
import { parseThreadtime } from '../../screen-service/logs/parse-threadtime.js';
import { CrashParser } from '../../screen-service/crashes/crash-parser.js';
import type { FoundCrash } from '../../screen-service/crashes/found-crash.js';
import { ScreenWorld } from '../../testing/phone/screen-world.js';

const NOTES = 'com.cloudphone.notes';

/** Returns the crashes that the service finds in what the phone has logged. */
function crashesOf(world: ScreenWorld): FoundCrash[] {
  const parser = new CrashParser();
  const lines = world.log.flatMap(({ priority, tag, message, pid }) =>
    message.split('\n').map((text) => `11-20 18:10:36.000 ${pid} ${pid} ${priority} ${tag}: ${text}`),
  );
  const parsed = lines.flatMap((line) => parseThreadtime(line, () => 0) ?? []);
  return [...parsed.flatMap((line) => parser.push(line, 0)), ...parser.takeComplete(10_000)];
}

async function openNotes(android = '14'): Promise<ScreenWorld> {
  const world = new ScreenWorld({ android });
  world.screen.home();
  world.screen.launch({ component: `${NOTES}/.Main` });
  await world.settle(1_000);
  return world;
}

const texts = async (world: ScreenWorld): Promise<(string | undefined)[]> =>
  (await world.nodes()).map(({ attributes }) => attributes['text']).filter((text) => text !== '');

describe('an app of a simulated phone that goes wrong', () => {
  for (const android of ['11', '13', '14']) {
    it(`crashes with the lines of Android ${android}`, async () => {
      const world = await openNotes(android);
      expect(world.screen.fail(NOTES, 'java')).to.equal(true);
      const inner = android === '11' ? '' : '$CrashedByAdbException';
      const reason = `android.app.RemoteServiceException${inner}: shell-induced crash`;
      expect(crashesOf(world)).to.have.lengthOf(1);
      expect(crashesOf(world)[0]).to.include({ kind: 'java', package: NOTES, process: NOTES, reason });
      expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
      expect(world.logged.join('\n')).to.match(/has died: (fore|fg )+ ?TOP/);
    });

    it(`crashes in native code with the lines of Android ${android}`, async () => {
      const world = await openNotes(android);
      world.screen.fail(NOTES, 'native');
      const [crash] = crashesOf(world);
      expect(crash).to.include({ kind: 'native', package: NOTES });
      expect(crash?.reason).to.match(/^signal 11 \(SIGSEGV\)/);
      expect(crash?.trace.includes('Cmdline: ')).to.equal(android !== '11');
      expect(crash?.trace.includes('total frames')).to.equal(android === '14');
    });

    it(`does not respond with the lines of Android ${android}, and shows the dialog`, async () => {
      const world = await openNotes(android);
      world.screen.fail(NOTES, 'hang');
      await world.settle(20_000);
      expect(crashesOf(world), 'nothing has waited for the app').to.deep.equal([]);
      world.tap(300, 600);
      await world.settle(5_100);
      const [crash] = crashesOf(world);
      expect(crash).to.include({ kind: 'anr', package: NOTES, process: NOTES });
      expect(crash?.reason).to.match(/^Input dispatching timed out \(.*Waited 5001ms/);
      expect(await texts(world)).to.include.members(["Notes isn't responding", 'Close app', 'Wait']);
      expect(world.screen.failureDialog).to.equal(`Application Not Responding: ${NOTES}`);
    });
  }

  it('is ended by the button Close app, and goes on hanging after Wait', async () => {
    const world = await openNotes();
    world.screen.fail(NOTES, 'hang');
    world.press(4);
    await world.settle(5_100);
    await world.tapOn('Wait');
    expect(world.screen.foreground.package).to.equal(NOTES);
    expect(world.screen.failureDialog).to.equal(undefined);
    world.tap(300, 600);
    await world.settle(5_100);
    await world.tapOn('Close app');
    expect(world.screen.foreground.package).to.equal('com.cloudphone.launcher');
    expect(world.logged.join('\n')).to.contain('user request after error');
    expect(crashesOf(world).map(({ kind }) => kind)).to.deep.equal(['anr', 'anr']);
    world.screen.launch({ component: `${NOTES}/.Main` });
    await world.settle(1_000);
    world.press(4);
    expect(world.screen.foreground.package, 'a new process does not hang').to.equal('com.cloudphone.launcher');
  });

  it('shows a dialog only when it keeps stopping, with information about the app', async () => {
    const world = await openNotes();
    world.screen.fail(NOTES, 'java');
    expect(world.screen.failureDialog).to.equal(undefined);
    world.screen.launch({ component: `${NOTES}/.Main` });
    await world.settle(1_000);
    world.screen.fail(NOTES, 'native');
    await world.settle(1_000);
    expect(await texts(world)).to.include.members(['Notes keeps stopping', 'Close app', 'App info']);
    const close = await world.find('aerr_close');
    expect(close.attributes).to.include({
      'resource-id': 'android:id/aerr_close',
      package: 'android',
      clickable: 'true',
    });
    await world.tapOn('App info');
    expect(world.screen.foreground).to.deep.equal({ package: 'com.cloudphone.settings', activity: '.AppInfo' });
  });

  it('shows a dialog for the first crash where the setting of Android says so, and can be opened again', async () => {
    const world = await openNotes();
    world.settings.put('global', 'show_first_crash_dialog', '1');
    world.screen.fail(NOTES, 'java');
    await world.settle(1_000);
    expect(await texts(world)).to.include.members(['Notes has stopped', 'Open app again', 'Close app']);
    await world.tapOn('Open app again');
    expect(world.screen.foreground.package).to.equal(NOTES);
  });

  it('is left alone where it is not open', () => {
    const world = new ScreenWorld();
    world.screen.home();
    expect(world.screen.fail(NOTES, 'java')).to.equal(false);
    expect(crashesOf(world)).to.deep.equal([]);
  });
});
