import { expect } from 'chai';
import type { ApiError } from '../../kit/errors/api-error.js';
import { ElementsForm } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { Target } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { picture } from '../testing/picture.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import { refusalOf } from '../../testing/refusal.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const box = (grey: number, y = 100) => picture(90, 160, [{ x: 10, y, width: 30, height: 30, grey }]);

describe('act on an element of an earlier observation', () => {
  let phone: ScriptedPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    world = screenWorld({ port: phone.adbd.port, screen: { width: 90, height: 160, density: 160 } });
  });
  afterEach(async () => {
    await world.close();
    await phone.adbd.close();
  });

  type ActInit = Omit<Parameters<ScreenWorld['client']['act']>[0], '$typeName' | '$unknown'>;
  const act = (request: ActInit) => world.client.act({ name: 'phone', ...request }, AS_KEY);
  const tapElement = (element: string) => ({ case: 'tap' as const, value: { element } as Target });
  const button = (text: string, id: string) =>
    `<node text="${text}" resource-id="${id}" class="android.widget.Button" package="com.x" clickable="true" ` +
    'enabled="true" bounds="[10,100][40,130]" />';
  const observed = async (): Promise<string> => {
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    return observation!.id;
  };
  const refusal = async (): Promise<ApiError> => {
    const error = await refusalOf(act({ step: tapElement('e1') }));
    expect(phone.inputs).to.be.empty;
    return error;
  };

  it('presses no other button with the same id in the same place of the next dialog', async () => {
    phone.tree = () => button('OK', 'android:id/button1');
    const id = await observed();
    phone.tree = () => button('Allow', 'android:id/button1');
    phone.pixels = () => box(0);
    const error = await refusal();
    expect(error.kind).to.equal('not_found');
    expect(error.message).to.contain(id);
  });

  it('presses no button of another window, also with the same text', async () => {
    for (const [before, after] of [
      ['Save', 'Delete'],
      ['OK', 'OK'],
    ] as const) {
      phone.focus = () => '1a2 com.x/com.x.Main';
      phone.tree = () => button(before, 'com.x:id/positive');
      await observed();
      phone.focus = () => '3b4 com.x/com.x.Main';
      phone.tree = () => button(after, 'com.x:id/positive');
      expect((await refusal()).kind).to.equal('not_found');
    }
  });

  it('presses no button whose text begins like that of the one that was there', async () => {
    phone.tree = () => button('Follow', 'com.x:id/follow');
    await observed();
    phone.tree = () => button('Following', 'com.x:id/follow');
    phone.pixels = () => box(0);
    expect((await refusal()).kind).to.equal('not_found');
  });

  const page = (title: string): string => textNode(title) + button('Buy', 'com.x:id/buy');
  /** A heading and a button; only the heading differs. */
  const shows = (grey: number, width = 30) =>
    picture(90, 160, [
      { x: 10, y: 100, width: 30, height: 30, grey: 90 },
      { x: 10, y: 50, width, height: 30, grey },
    ]);
  const buy = (): string => /(e\d+) button "Buy"/.exec(elements)?.[1] ?? '';
  let elements = '';
  const seePage = async (): Promise<void> => {
    phone.tree = () => page('Kettle');
    phone.pixels = () => shows(50);
    const { observation } = await world.client.observe({ name: 'phone', elements: ElementsForm.COMPACT }, AS_KEY);
    elements = observation!.elementsText!;
  };

  it('presses no button of another page of the same window, in the same place with the same text', async () => {
    await seePage();
    phone.tree = () => page('Kettle 2');
    phone.pixels = () => shows(0);
    const error = await refusalOf(act({ step: tapElement(buy()) }));
    expect(error.kind).to.equal('not_found');
    expect(error.message).to.contain('Observe again');
    expect(phone.inputs).to.be.empty;
  });

  it('reads no tree while a picture shows the observation, neither for an id nor for words', async () => {
    await seePage();
    const before = phone.dumps;
    for (const value of [{ element: buy() }, { text: 'buy' }]) {
      await act({ step: { case: 'tap', value: value as unknown as Target }, observe: ObserveDetail.NONE });
    }
    expect(phone.inputs).to.deep.equal(['input tap 25 115', 'input tap 25 115']);
    expect(phone.dumps).to.equal(before);
  });

  for (const [what, pixels] of [
    ['another part of the screen', shows(0)],
    ['a thin bar that is a letter and no caret', shows(50, 32)],
  ] as const) {
    it(`reads a tree when ${what} changed`, async () => {
      await seePage();
      phone.pixels = () => pixels;
      const before = phone.dumps;
      await act({ step: tapElement(buy()), observe: ObserveDetail.NONE });
      expect(phone.inputs).to.have.length(1);
      expect(phone.dumps).to.equal(before + 1);
    });
  }

  it('reads the app in front beside the picture: nothing between the picture and the touch', async () => {
    await seePage();
    const seen: string[] = [];
    let release = (): void => undefined;
    const frontIsRead = new Promise<void>((resolve) => (release = resolve));
    phone.focus = () => {
      seen.push('front');
      release();
      return '1a2 com.x/com.x.Main';
    };
    phone.sending = async () => {
      await frontIsRead;
      seen.push('picture');
    };
    phone.onInput = () => void seen.push('touch');
    await act({ step: tapElement(buy()), observe: ObserveDetail.NONE });
    expect(seen.slice(0, 3)).to.deep.equal(['front', 'picture', 'touch']);
  });

  it('presses nothing of a page that came while the tree was read, or just after', async () => {
    await seePage();
    phone.pixels = () => shows(10);
    phone.tree = async () => {
      phone.tree = () => page('Teapot');
      await pause(50);
      phone.pixels = () => shows(0);
      return page('Kettle');
    };
    expect((await refusalOf(act({ step: tapElement(buy()) }))).kind).to.equal('not_found');
    expect(phone.inputs).to.be.empty;
  });

  it('presses nothing where the picture is of one colour and so shows no change', async () => {
    const black = picture(90, 160, [{ x: 0, y: 0, width: 90, height: 160, grey: 0 }]);
    for (const pixels of [black, picture(90, 160)]) {
      phone.pixels = () => pixels;
      phone.tree = () => button('Save', 'com.x:id/save');
      await observed();
      phone.tree = () => button('Delete', 'com.x:id/delete');
      expect((await refusal()).kind).to.equal('not_found');
    }
  });
});
