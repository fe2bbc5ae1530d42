import { CommandFailure, type Command, print } from '../command.js';

/** The input methods of the phone; those for automation are built in (see text-broadcast). */
const METHODS = [
  'com.android.inputmethod.latin/.LatinIME',
  'com.android.adbkeyboard/.AdbIME',
  'com.github.uiautomator/.AdbKeyboard',
];

export const ime: Command = async ({ args, machine, stdout }) => {
  const words = args.filter((word, at) => word !== '--user' && args[at - 1] !== '--user');
  const [verb = '', ...rest] = words;
  const { settings } = machine;
  const enabled = (settings.get('secure', 'enabled_input_methods') ?? '').split(':').filter((one) => one !== '');
  const method = rest.at(-1) ?? '';
  const known = (): void => {
    if (!METHODS.includes(method)) throw new CommandFailure(`Unknown input method ${method} cannot be ${verb === 'set' ? 'selected' : `${verb}d`} for user #0`, { bare: true, status: 255 }); // prettier-ignore
  };
  switch (verb) {
    case 'list': {
      const shown = rest.includes('-a') ? METHODS : METHODS.filter((one) => enabled.includes(one));
      for (const one of shown) await stdout.write(rest.includes('-s') ? `${one}\n` : `${one}:\n  mId=${one} mSettingsActivityName=null\n`); // prettier-ignore
      return 0;
    }
    case 'set':
      known();
      settings.put('secure', 'default_input_method', method);
      if (!enabled.includes(method)) settings.put('secure', 'enabled_input_methods', [...enabled, method].join(':'));
      return print(stdout, `Input method ${method} selected for user #0\n`);
    case 'enable':
      known();
      settings.put('secure', 'enabled_input_methods', [...new Set([...enabled, method])].join(':'));
      return print(stdout, `Input method ${method}: now enabled for user #0\n`);
    case 'disable':
      known();
      settings.put('secure', 'enabled_input_methods', enabled.filter((one) => one !== method).join(':'));
      return print(stdout, `Input method ${method}: now disabled for user #0\n`);
    case 'reset':
      settings.put('secure', 'default_input_method', METHODS[0] ?? '');
      settings.put('secure', 'enabled_input_methods', METHODS[0] ?? '');
      return print(stdout, `Reset current and enabled IMEs for user #0\n`);
    default:
      throw new CommandFailure(`Unknown command: ${verb}`, { bare: true, status: 255 });
  }
};
