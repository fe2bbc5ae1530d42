import { type FakeAdbd, type FakeStream, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import { picture, rawScreencap } from './picture.js';

/** A phone whose screen a test scripts: each part is read when the phone sends it. */
export interface ScriptedPhone {
  adbd: FakeAdbd;
  pixels: () => Pixels;
  /** The phone sends a picture once this has resolved. */
  sending: () => Promise<void>;
  /** Returns the nodes of the tree as XML. A test may also write to the stream itself, in place of uiautomator. */
  tree: (stream: FakeStream) => string | Promise<string>;
  /** The focused window: hash and component, as in `1a2 com.x/com.x.Main`. */
  focus: () => string;
  /** The view that the keyboard is connected to, as in `android.widget.EditText{1a2 app:id/name}`; undefined: none. */
  served: () => string | undefined;
  /** Whether the keyboard shows; undefined: the phone does not report it. */
  keyboard: () => boolean | undefined;
  /** The time of the day, as in `12:05:00`; empty: the phone does not report it. */
  time: () => string;
  /** Is called when input arrives. */
  onInput: (command: string, stream: FakeStream) => void | Promise<void>;
  /** Input commands, in order. */
  inputs: string[];
  /** The number of dumps so far. */
  dumps: number;
}

export async function startScriptedPhone(): Promise<ScriptedPhone> {
  const phone: ScriptedPhone = {
    adbd: await startFakeAdbd((stream) => respond(phone, stream)),
    pixels: () => picture(90, 160),
    sending: () => Promise.resolve(),
    tree: () => textNode('Hello'),
    focus: () => '1a2 com.x/com.x.Main',
    served: () => undefined,
    keyboard: () => undefined,
    time: () => '',
    onInput: () => undefined,
    inputs: [],
    dumps: 0,
  };
  return phone;
}

async function respond(phone: ScriptedPhone, stream: FakeStream): Promise<void> {
  const { service } = stream;
  const command = service.slice(service.indexOf(':') + 1);
  if (command.includes('uiautomator')) {
    phone.dumps++;
    const nodes = await phone.tree(stream);
    await say(stream, `<hierarchy rotation="0">${nodes}</hierarchy>UI hierchary dumped to: /dev/tty`);
  } else if (command.includes('screencap')) {
    await phone.sending();
    await say(stream, rawScreencap(phone.pixels()));
  } else if (command.startsWith('dumpsys window')) {
    const [hash, component] = phone.focus().split(' ');
    await say(
      stream,
      `  Display: mDisplayId=0\n  mCurrentFocus=Window{${hash} u0 ${component}}\n${keyboardLine(phone)}${phone.time()}\n`,
    );
  } else if (GUARDED.test(command)) {
    const [, shown, refusal = '', input = ''] = GUARDED.exec(command) ?? [];
    if (String(phone.keyboard()) === shown) await say(stream, `${refusal}\n`);
    else {
      phone.inputs.push(input);
      await phone.onInput(input, stream);
      await say(stream, '');
    }
  } else if (command.startsWith('dumpsys input_method')) {
    const view = phone.served();
    const connection = view === undefined ? 'null' : `RemoteInputConnectionImpl{connection=a.b.C@${view.length}}`;
    await say(
      stream,
      `  mServedView=${view ?? 'null'}\n  mServedInputConnection=${connection}\n${keyboardLine(phone)}`,
    );
  } else if (command.startsWith('input ')) {
    phone.inputs.push(command);
    await phone.onInput(command, stream);
    await say(stream, '');
  } else {
    await say(stream, '');
  }
}

/** Matches a command that sends input only if the keyboard has neither come nor gone. */
const GUARDED =
  /^if dumpsys input_method \| grep -m 1 mInputShown= \| grep -q mInputShown=(\w+); then echo (\S+); else (input .*); fi$/;

function keyboardLine(phone: ScriptedPhone): string {
  const shown = phone.keyboard();
  return shown === undefined ? '' : `  mInputShown=${shown}\n`;
}

/** A plain text of the app com.x. */
export function textNode(text: string, attributes = ''): string {
  return (
    `<node text="${text}" class="android.widget.TextView" package="com.x" enabled="true" ` +
    `${attributes.includes('bounds=') ? '' : 'bounds="[0,0][90,30]" '}${attributes} />`
  );
}
