import { expect } from 'chai';
import { MemoryFiles, ScreenWorld } from '../../testing/phone/screen-world.js';

const CLOCK = '/data/data/com.cloudphone.clock/files/clock.json';
const HISTORY = '/data/data/com.cloudphone.browser/files/history.json';
const VIEW = 'android.intent.action.VIEW';

describe('what apps keep for readers from outside', () => {
  let files: MemoryFiles;
  let world: ScreenWorld;
  beforeEach(() => {
    files = new MemoryFiles();
    world = new ScreenWorld({ files });
    world.screen.home();
  });

  const kept = async (path: string): Promise<unknown> => JSON.parse((await files.read(path)).toString('utf8'));
  const browse = async (data: string): Promise<void> => {
    world.screen.launch({ action: VIEW, data });
    await world.settle(1500);
  };
  const texts = async (): Promise<string[]> => (await world.nodes()).map(({ attributes }) => attributes['text'] ?? '');

  it('is the state of the stopwatch', async () => {
    world.screen.launch({ component: 'com.cloudphone.clock/.Main', extras: { tab: 'stopwatch' } });
    await world.settle(500);
    await world.tapOn('start_stop');
    await world.settle(200);
    expect(await kept(CLOCK)).to.deep.equal({ stopwatch: { runs: true, laps: 0, ms: 0 } });
  });

  it('is the state of the timer, also after its end', async () => {
    world.screen.launch({ component: 'com.cloudphone.clock/.Main', extras: { tab: 'timer', seconds: '5' } });
    await world.settle(500);
    await world.tapOn('timer_start');
    await world.settle(200);
    expect(await kept(CLOCK)).to.deep.equal({ timer: { runs: true, seconds: 5, done: 0 } });
    await world.settle(6_000);
    expect(await kept(CLOCK)).to.deep.equal({ timer: { runs: false, seconds: 5, done: 1 } });
  });

  it('is the history of the browser, with pages of the shared storage and their links', async () => {
    await files.write('/sdcard/Web/a.html', '<title>A</title><a href="b.html">On</a><a href="javascript:x()">No</a>');
    await files.write('/sdcard/Web/b.html', '<title>B</title><p>The end.</p>');
    await browse('file:///sdcard/Web/a.html');
    await world.tapOn('On');
    await world.settle(500);
    expect(await texts()).to.include('The end.');
    const visits = (await kept(HISTORY)) as { url: string; title: string }[];
    expect(visits.map(({ url, title }) => [url, title])).to.deep.equal([
      ['file:///sdcard/Web/a.html', 'A'],
      ['file:///sdcard/Web/b.html', 'B'],
    ]);
  });

  it('is no page that is not there, or not in the shared storage', async () => {
    await files.write('/data/data/com.cloudphone.notes/files/notes.json', '["secret"]');
    for (const [url, code] of [
      ['file:///sdcard/none.html', 'ERR_FILE_NOT_FOUND'],
      ['file:///data/data/com.cloudphone.notes/files/notes.json', 'ERR_ACCESS_DENIED'],
      ['file:///sdcard/%2e%2e%2f..%2fdata/data/com.cloudphone.notes/files/notes.json', 'ERR_ACCESS_DENIED'],
    ] as const) {
      await browse(url);
      expect([url, (await texts()).includes(code)]).to.deep.equal([url, true]);
    }
    expect(files.kept.has(HISTORY)).to.equal(false);
  });
});
