import { expect } from 'chai';
import { ObserveDetail } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { Target, TypeText } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { picture } from '../testing/picture.js';
import { type ScriptedPhone, startScriptedPhone, textNode } from '../testing/scripted-phone.js';
import { AS_KEY, screenWorld, type ScreenWorld } from '../testing/screen-world.js';

/** A field of a page as the tree has it. */
const field = (name: string, y: number, focused = false): string =>
  `<node text="" hint="${name}" resource-id="${name === '' ? '' : `com.x:id/${name}`}" class="android.widget.EditText" package="com.x" ` +
  `clickable="true" enabled="true" focused="${focused}" bounds="[0,${y}][90,${y + 30}]" />`;
const served = (name: string, hash = '1a2b'): string =>
  `android.widget.EditText{${hash} VFED..CL. .F...... 0,0-90,30 #7f08 app:id/${name}}`;

describe('typing into a field', function () {
  let phone: ScriptedPhone;
  let world: ScreenWorld;

  beforeEach(async () => {
    phone = await startScriptedPhone();
    // The rows of `pin` have something to see, so that they are known again without a tree.
    phone.pixels = () => picture(90, 160, [{ x: 10, y: 85, width: 30, height: 20, grey: 90 }]);
    const screen = { width: 90, height: 160, density: 160 };
    world = screenWorld({ port: phone.adbd.port, screen, limits: { focusMs: 800 } });
  });
  afterEach(async () => {
    await world.close();
    await phone.adbd.close();
  });

  /** The page of `user` and `pin`; `focused` has the focus in the tree and, as `view`, at the keyboard. */
  const show = (focused: string, view = focused === '' ? undefined : served(focused, `f${focused}`)): void => {
    phone.tree = () => field('user', 40, focused === 'user') + field('pin', 80, focused === 'pin');
    phone.served = () => view;
  };
  const whenTapped = (then: () => void): void => {
    phone.onInput = (command) => {
      if (command.startsWith('input tap')) then();
    };
  };
  const type = (target: object, options: Partial<TypeText> = {}) =>
    world.client.act(
      {
        name: 'phone',
        step: { case: 'type', value: { text: 'hunter2', target: target as Target, ...options } as TypeText },
        observe: ObserveDetail.NONE,
        settleMs: 1,
        timeoutMs: 15_000,
      },
      AS_KEY,
    );
  const typed = (): string[] => phone.inputs.filter((command) => command.startsWith('input text'));
  const byWords = { text: 'pin' };

  for (const secret of [false, true]) {
    describe(secret ? 'a secret' : 'a text', () => {
      it('waits for a focus that comes late', async () => {
        show('user');
        let typedInto: string | undefined;
        phone.onInput = (command) => {
          if (command.startsWith('input tap')) setTimeout(() => show('pin'), 400);
          else typedInto = phone.served();
        };
        expect((await type(byWords, { secret })).failed).to.equal(undefined);
        expect(typedInto).to.contain(':id/pin');
        expect(typed()).to.have.length(1);
      });

      it('is typed nowhere when another field of the page takes the focus', async () => {
        show('');
        whenTapped(() => show('user'));
        const { failed, stepsDone } = await type(byWords, { secret });
        expect(failed).to.include({ step: 0, error: 'bad_request' });
        expect(failed?.message).to.contain('the tap at 45, 95').and.not.contain('hunter2');
        expect(stepsDone).to.equal(0);
        expect(typed()).to.be.empty;
      });

      it('is typed nowhere when the tap opens a dialog without a field', async () => {
        show('user');
        whenTapped(() => {
          phone.tree = () => textNode('Session expired');
          phone.served = () => undefined;
        });
        expect((await type(byWords, { secret })).failed).to.include({ error: 'bad_request' });
        expect(typed()).to.be.empty;
      });

      it('is typed nowhere when the focus stays in another field', async () => {
        show('user');
        expect((await type(byWords, { secret })).failed).to.include({ error: 'bad_request' });
        expect((await type({ x: 45, y: 95 }, { secret })).failed).to.include({ error: 'bad_request' });
        expect(typed()).to.be.empty;
      });

      it('is typed into the field of the page that a tap on a search box opened', async () => {
        phone.tree = () => textNode('Search apps', 'clickable="true"');
        whenTapped(() => {
          phone.tree = () => field('query', 0, true);
          phone.served = () => served('query');
        });
        expect((await type({ text: 'Search apps' }, { secret })).failed).to.equal(undefined);
        expect(typed()).to.have.length(1);
      });

      it('is typed into a field that an app draws itself, also when it had the focus before', async () => {
        const own = 'androidx.compose.ui.platform.AndroidComposeView{77}';
        const page = (focused: boolean) => () => field('', 40) + field('', 80, focused);
        phone.tree = page(false);
        whenTapped(() => {
          phone.tree = page(true);
          phone.served = () => own;
        });
        expect((await type({ x: 45, y: 95 }, { secret })).failed).to.equal(undefined);
        expect((await type({ x: 45, y: 95 }, { secret })).failed).to.equal(undefined);
        expect(typed()).to.have.length(2);
      });
    });
  }

  it('goes to a field in the place of the one that is named, but no secret does', async () => {
    for (const secret of [false, true]) {
      show('');
      whenTapped(() => {
        phone.tree = () => field('search', 0, true);
        phone.served = () => served('search');
      });
      const { failed } = await type(byWords, { secret });
      expect(failed?.error).to.equal(secret ? 'bad_request' : undefined);
      expect(typed()).to.have.length(1);
    }
  });

  it('needs no tree for a field that is known by its id', async () => {
    show('user');
    whenTapped(() => show('pin'));
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    const { id } = observation!.elements.find(({ label }) => label === 'pin')!;
    const before = phone.dumps;
    for (const secret of [false, true]) await type({ element: id }, { secret });
    expect(phone.dumps).to.equal(before);
    expect(
      phone.inputs.filter((command) => command.startsWith('input tap')),
      'the second finds it focused',
    ).to.have.length(1);
    expect(typed()).to.have.length(2);
  });

  it('does not trust an observation that a field has the focus', async () => {
    show('pin');
    const { observation } = await world.client.observe({ name: 'phone' }, AS_KEY);
    const { id } = observation!.elements.find(({ label }) => label === 'pin')!;
    show('user');
    whenTapped(() => show('pin'));
    expect((await type({ element: id })).failed).to.equal(undefined);
    expect(phone.inputs.map((command) => command.slice(0, 10))).to.deep.equal(['input tap ', 'input text']);
  });

  it('reaches games and remote desktops, which have no fields, but with no secret', async () => {
    phone.tree = () => '<node class="android.view.View" package="com.x" enabled="true" bounds="[0,0][90,160]" />';
    expect((await type({ x: 45, y: 95 })).failed).to.equal(undefined);
    expect(typed()).to.have.length(1);
    expect((await type({ x: 45, y: 95 }, { secret: true })).failed).to.include({ error: 'bad_request' });
    expect(typed()).to.have.length(1);
  });
});
