import { ShellSyntaxError } from '../grammar/syntax-tree.js';
import { descriptorOf, isSink } from '../redirect.js';
import { unescaped } from '../unescape.js';
import { refuse, type BuiltinCall } from './builtin.js';

/** `print [-nrRelN] [-u DESCRIPTOR] [WORD...]` */
export async function print(call: BuiltinCall): Promise<number> {
  const words = [...call.args];
  let [end, between, escapes, descriptor] = ['\n', ' ', true, 1];
  while (words[0] !== undefined && /^-./.test(words[0])) {
    const word = words.shift() ?? '';
    if (word === '--') break;
    for (let at = 1; at < word.length; at++) {
      const letter = word[at] ?? '';
      if (letter === 'n') end = '';
      else if (letter === 'r' || letter === 'R') escapes = false;
      else if (letter === 'e') escapes = true;
      else if (letter === 'l') between = '\n';
      else if (letter === 'N') end = between = '\0';
      else if (letter === 's')
        return 0; // there is no history to write to
      else if (letter === 'u') {
        descriptor = Number(word.slice(at + 1) || words.shift() || 1);
        break;
      } else if ('pcAF'.includes(letter)) throw new ShellSyntaxError(`print: -${letter}: unsupported option`);
      else return refuse(call, `-${letter}: unknown option`);
    }
  }
  const sink = descriptorOf(call.streams, descriptor);
  if (!isSink(sink)) return refuse(call, `-u${descriptor}: bad file descriptor`);
  const text = words.join(between);
  await sink.write(Buffer.concat([escapes ? unescaped(text).bytes : Buffer.from(text), Buffer.from(end)]));
  return 0;
}
