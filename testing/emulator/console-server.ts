import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Behaviour } from './behaviour.js';

export interface ConsoleOptions {
  port: number;
  home: string;
  avd: string;
  behaviour: Behaviour['console'];
  onKill: () => void;
  /** Called with the words of each command that changes place, power or network; returns false for one that it does not know. */
  onCondition: (words: readonly string[]) => boolean;
}

/** The commands of the console that change conditions. */
const CONDITIONS = ['geo', 'power', 'network'];

/** Serves the emulator's console, as lines over telnet. Its commands need the token that is in a file of the home folder. */
export async function serveConsole({ port, home, avd, behaviour, onKill, onCondition }: ConsoleOptions): Promise<void> {
  const tokenFile = join(home, '.emulator_console_auth_token');
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    if (behaviour === 'hangs') return;
    const say = (...lines: string[]): void => void socket.write(lines.map((line) => `${line}\r\n`).join(''));
    say(
      'Android Console: Authentication required',
      "Android Console: type 'auth <auth_token>' to authenticate",
      'Android Console: you can find your <auth_token> in ',
      `'${tokenFile}'`,
      'OK',
    );
    let isIn = false;
    createInterface({ input: socket }).on('line', (line) => {
      const [word = '', ...rest] = line.trim().split(' ');
      if (word === 'auth') {
        isIn = behaviour !== 'refuses' && rest.join(' ') === readFileSync(tokenFile, 'utf8').trim();
        if (isIn) say("Android Console: type 'help' for a list of commands", 'OK');
        else say('KO: authentication token does not match ~/.emulator_console_auth_token');
      } else if (!isIn) say(`KO: unknown command, try 'help'`);
      else if (line.trim() === 'avd name') say(avd, 'OK');
      else if (CONDITIONS.includes(word) && behaviour !== 'no-conditions') {
        if (behaviour === 'hangs-later') return;
        if (onCondition([word, ...rest])) say('OK');
        else say('KO: bad sub-command');
      } else if (word === 'ping') say('I am alive!', 'OK');
      else if (word === 'kill') {
        say('OK: killing emulator, bye bye');
        if (behaviour !== 'deaf') onKill();
      } else say(`KO: unknown command, try 'help'`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
}
