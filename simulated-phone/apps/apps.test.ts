import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RealProxy } from '../../testing/real-proxy.js';
import { systemClock } from '../../kit/async/clock.js';
import { createPhoneNetwork } from '../network/phone-network.js';
import { MemoryFiles, ScreenWorld } from '../../testing/phone/screen-world.js';
import { KEY } from '../ui/key-codes.js';

async function opened(
  component: string,
  extras: Record<string, string> = {},
  options: ConstructorParameters<typeof ScreenWorld>[0] = {},
): Promise<ScreenWorld> {
  const world = new ScreenWorld(options);
  world.screen.home();
  world.screen.launch({ component, extras });
  await world.settle(1500);
  return world;
}

const textOf = async (world: ScreenWorld, id: string): Promise<string | undefined> =>
  (await world.find(id)).attributes['text'];

const texts = async (world: ScreenWorld): Promise<string[]> =>
  (await world.nodes()).map(({ attributes }) => attributes['text'] ?? '').filter((text) => text !== '');

describe('notes', () => {
  const write = async (files: MemoryFiles): Promise<ScreenWorld> => {
    const world = await opened('com.cloudphone.notes/.Main', {}, { files });
    await world.tapOn('New note');
    world.screen.commitText('Shopping');
    world.press(KEY.ENTER);
    world.screen.commitText('Milk\nBread');
    await world.tapOn('save');
    return world;
  };

  it('keep saved data over a kill and a restart', async () => {
    const files = new MemoryFiles();
    const world = await write(files);
    expect(world.screen.foreground.activity).to.equal('.Main');
    expect(await texts(world)).to.include.members(['Shopping', 'Milk Bread']);
    world.screen.forceStop('com.cloudphone.notes');
    const again = await opened('com.cloudphone.notes/.Main', {}, { files });
    await again.tapOn('Shopping');
    expect(await textOf(again, 'body')).to.equal('Milk\nBread');
    expect([...files.kept.keys()]).to.deep.equal(['/data/data/com.cloudphone.notes/files/notes.json']);
  });

  it('change and ask before they drop changes', async () => {
    const world = await write(new MemoryFiles());
    await world.tapOn('Shopping');
    await world.tapOn('body');
    world.press(KEY.MOVE_END);
    world.screen.commitText(' and eggs');
    world.press(KEY.BACK, KEY.BACK);
    expect(await textOf(world, 'alertTitle')).to.equal('Save changes?');
    await world.tapOn('Save');
    await world.settle(500);
    expect(await texts(world)).to.include('Milk Bread and eggs');
  });

  it('are deleted after a question', async () => {
    const world = await write(new MemoryFiles());
    await world.tapOn('Shopping');
    await world.tapOn('delete');
    await world.tapOn('Cancel');
    expect(await textOf(world, 'title')).to.equal('Shopping');
    await world.tapOn('delete');
    await world.tapOn('Delete');
    await world.settle(500);
    expect(await texts(world)).to.include('No notes yet');
  });
});

describe('messages', () => {
  it('get a reply after a while, also when the app was closed meanwhile', async () => {
    const files = new MemoryFiles();
    const world = await opened('com.cloudphone.messages/.Thread', { id: 'mara' }, { files });
    await world.tapOn('compose');
    world.screen.commitText('See you at six');
    await world.tapOn('send');
    expect(await texts(world)).to.include('See you at six');
    await world.settle(3000);
    expect(await texts(world)).to.include('Got it: “See you at six”');
    await world.tapOn('compose');
    world.screen.commitText('And you?');
    world.press(KEY.ENTER);
    await world.settle();
    world.press(KEY.HOME);
    await world.settle(10_000);
    world.screen.launch({ component: 'com.cloudphone.messages/.Main' });
    await world.settle(500);
    expect(await texts(world)).to.include('Good question. Let me think about it.');
  });
});

describe('the lab', () => {
  it('shows the values entered in the form', async () => {
    const world = await opened('com.cloudphone.lab/.Form');
    const type = async (id: string, text: string): Promise<void> => {
      await world.tapOn(id);
      world.screen.commitText(text);
    };
    await type('name', 'Ada');
    await type('email', 'ada@example.com');
    await type('password', 'secret');
    await type('age', '3x6');
    world.press(KEY.BACK);
    await world.tapOn('country');
    await world.tapOn('Canada');
    const scrollUp = async (): Promise<void> => {
      world.swipe([30, 1000], [30, 300], 800);
      await world.settle(1000);
    };
    await scrollUp();
    const slider = await world.find('level');
    world.tap(slider.bounds.right - 28, (slider.bounds.top + slider.bounds.bottom) / 2);
    await world.tapOn('Large');
    await world.tapOn('news');
    await scrollUp();
    const submit = await world.find('submit');
    expect(submit.attributes['enabled']).to.equal('false');
    await world.tapOn('terms');
    expect((await world.find('terms')).attributes['checked']).to.equal('true');
    await world.tapOn('submit');
    world.swipe([30, 300], [30, 1100], 800);
    world.swipe([30, 300], [30, 1100], 800);
    await world.settle(1000);
    expect(await texts(world)).to.include.members([
      'Name: Ada',
      'E-mail: ada@example.com',
      'Password: 6 characters',
      'Age: 36',
      'Country: Canada',
      'Level: 100',
      'Size: Large',
      'News: yes',
    ]);
  });

  it('brings late content when it is due', async () => {
    const world = new ScreenWorld();
    world.screen.home();
    await world.settle(1000);
    world.screen.launch({ component: 'com.cloudphone.lab/.LateContent', extras: { ms: '5000' } });
    await world.settle(1000);
    expect(await texts(world)).to.include('Loading…');
    await world.settle(4000);
    expect(await texts(world)).to.include('Content');
  });

  it('shows questions that a touch outside does not close', async () => {
    const world = await opened('com.cloudphone.lab/.Dialogs');
    await world.tapOn('question');
    const root = (await world.nodes())[0];
    expect(root?.bounds.left).to.be.greaterThan(20);
    world.tap(360, 120);
    world.press(KEY.BACK);
    expect(await textOf(world, 'alertTitle')).to.contain('Allow Lab');
    await world.tapOn('Allow');
    expect(await textOf(world, 'answer')).to.equal('Allowed');
    await world.tapOn('alert');
    world.tap(360, 120);
    expect(await textOf(world, 'answer')).to.equal('Alert dismissed');
  });

  it('is one node where a web view is', async () => {
    const world = await opened('com.cloudphone.lab/.WebView');
    const nodes = await world.nodes();
    const at = nodes.findIndex(({ attributes }) => attributes['class'] === 'android.webkit.WebView');
    expect(at).to.be.greaterThan(0);
    expect(nodes[at + 1]?.depth ?? 0).to.be.at.most(nodes[at]?.depth ?? 0);
  });

  it('counts time in squares that a picture can be read by', async () => {
    const world = await opened('com.cloudphone.lab/.Counter');
    const { bounds } = await world.find('counter');
    const { data, width } = world.screen.capture();
    let ms = 0;
    for (let bit = 0; bit < 32; bit++) {
      const x = Math.round(bounds.left + ((bit % 8) + 0.5) * ((bounds.right - bounds.left) / 8));
      const y = Math.round(bounds.top + (Math.floor(bit / 8) + 0.5) * ((bounds.bottom - bounds.top) / 4));
      ms = (ms << 1) | ((data[(y * width + x) * 4] ?? 0) > 127 ? 1 : 0);
    }
    expect(world.clock.monotonicMs() - ms).to.be.within(0, 17);
  });
});

describe('settings', () => {
  it('turn the phone and switch animations off', async () => {
    const world = await opened('com.cloudphone.settings/.Display');
    await world.tapOn('auto_rotate');
    await world.tapOn('Landscape');
    expect(world.screen.rotation).to.equal(1);
    expect(world.screen.width).to.equal(1280);
    world.settings.put('system', 'user_rotation', '0');
    await world.settle(500);
    world.swipe([30, 1000], [30, 300], 800);
    await world.settle(1000);
    await world.tapOn('animation_scale');
    await world.tapOn('Off');
    expect(world.settings.get('global', 'transition_animation_scale')).to.equal('0');
  });

  it('show model and version of the phone', async () => {
    const world = await opened('com.cloudphone.settings/.About');
    expect(await textOf(world, 'device_name')).to.equal('pixel');
    expect(await textOf(world, 'android_version')).to.equal('14');
  });
});

describe('the browser', () => {
  let server: Server;
  let origin: string;

  before((done) => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (request.url === '/second') response.end('<title>Second</title><p>The second page.</p>');
      else
        response.end(
          '<title>First</title><h1>Welcome</h1><p>Some <b>text</b> &amp; more.</p><a href="/second">Go on</a>',
        );
    }).listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });

  after((done) => {
    server.close(done);
  });

  const exit = { type: 'direct', country: 'de', timezone: 'Europe/Berlin' };
  const browse = async (allowPrivateTargets: boolean): Promise<ScreenWorld> => {
    const network = createPhoneNetwork(exit, { clock: systemClock, allowPrivateTargets });
    const world = await opened('com.cloudphone.browser/.Main', {}, { network });
    await world.tapOn('url_bar');
    world.screen.commitText(`${origin}/`);
    world.press(KEY.ENTER);
    await loaded(world);
    return world;
  };
  /** Waits until the page has come over a real socket, which is when the ring no longer turns. */
  const loaded = async (world: ScreenWorld): Promise<void> => {
    for (let at = 0; at < 500; at++) {
      await world.settle(10);
      const outcome = await Promise.race([world.screen.dump({ compressed: true }), world.clock.pass(1000, 500)]);
      if (outcome?.kind === 'xml' && !outcome.xml.includes('id/progress')) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error('the page never came');
  };

  it('shows a page as text and follows its links and back', async () => {
    const world = await browse(true);
    expect(await texts(world)).to.include.members(['First', 'Welcome', 'Some text & more.', 'Go on']);
    await world.tapOn('Go on');
    await loaded(world);
    expect(await texts(world)).to.include('The second page.');
    expect(await textOf(world, 'url_bar')).to.equal(`${origin}/second`);
    world.press(KEY.BACK);
    await loaded(world);
    expect(await texts(world)).to.include('Welcome');
  });

  it('opens pages by the proxy of the settings while there is one', async () => {
    const proxy = await RealProxy.start({ scheme: 'http' });
    const setting = `127.0.0.1:${proxy.port}`;
    const network = createPhoneNetwork(exit, { clock: systemClock, allowPrivateTargets: true });
    const world = await opened('com.cloudphone.browser/.Main', {}, { network });
    const browseWith = async (value: string): Promise<void> => {
      world.settings.put('global', 'http_proxy', value);
      world.screen.launch({ action: 'android.intent.action.VIEW', data: `${origin}/` });
      await loaded(world);
    };
    await browseWith(setting);
    expect(await texts(world)).to.include('Welcome');
    expect(proxy.passed.map(({ target }) => target)).to.deep.equal([new URL(origin).host]);
    await proxy.close();
    await browseWith(setting);
    expect(await textOf(world, 'error_code')).to.equal('ERR_PROXY_CONNECTION_FAILED');
    await browseWith(':0');
    expect(await texts(world)).to.include('Welcome');
    expect(proxy.passed).to.have.length(1);
  });

  it('shows why a private address is not opened', async () => {
    const world = await browse(false);
    expect(await textOf(world, 'error_code')).to.equal('ERR_BLOCKED_BY_NETWORK');
  });

  it('has no network in airplane mode', async () => {
    const world = await opened('com.cloudphone.browser/.Main');
    world.settings.put('global', 'airplane_mode_on', '1');
    world.screen.launch({ action: 'android.intent.action.VIEW', data: 'http://example.com/' });
    await world.settle(1500);
    expect(await textOf(world, 'error_code')).to.equal('ERR_INTERNET_DISCONNECTED');
  });
});
