import { expect } from 'chai';
import { failureText, type PhonePrograms, ShellPhone } from '../../testing/shell-phone.js';
import { keepsDatagrams } from './datagrams.js';

/** `sleep` in place of the phone's: waits for the listener. */
const SLEEP = `cd "$(dirname "$0")"; PATH=\${PATH#*:}
  for i in $(seq 500); do [ -e listening ] && exit; sleep 0.02; done`;

/** `timeout` in place of the phone's: the programs below end by themselves, and on a busy machine Node alone takes seconds to start. */
const TIMEOUT = 'shift; exec "$@"';

/**
 * `nc -u` by Node; `condition` says where datagrams get to. It ends once it has sent or received one. A port of the phone is any free one
 * of this machine, as the same tests may run beside these. Its number is in the file that also shows that the listener is there.
 */
const netcat = (condition: string): string =>
  `cd "$(dirname "$0")"; exec ${process.execPath} -e '
    const { readFileSync, renameSync, writeFileSync } = require("fs");
    const socket = require("dgram").createSocket("udp4");
    const [, second, third] = process.argv.slice(1);
    if (second === "-l") {
      socket.on("message", (bytes) => process.stdout.write(bytes, () => process.exit()));
      socket.bind(0, "127.0.0.1", () => {
        writeFileSync("port", String(socket.address().port));
        renameSync("port", "listening");
      });
    } else process.stdin.on("data", (bytes) => {
      const [host, port] = [second, Number(third)];
      const own = port === 40953;
      if (${condition}) socket.send(bytes, own ? Number(readFileSync("listening", "utf8")) : port, host, () => process.exit());
      else process.exit();
    });
  ' -- "$@"`;

const OWN = 'own';
const UNKNOWN = 'echo "ping: unknown host example.com"; exit 2';

describe('row of datagrams', () => {
  let phone: ShellPhone | undefined;
  afterEach(() => phone?.remove());

  const run = (programs: PhonePrograms): Promise<string> => {
    phone = new ShellPhone({ sleep: SLEEP, timeout: TIMEOUT, ...programs });
    return keepsDatagrams.run(phone.asPhones());
  };

  it('passes where datagrams reach the phone itself and nothing else', async () => {
    expect(await run({ nc: netcat(OWN), ping: UNKNOWN })).to.match(
      /was not found by the phone|this machine finds none/,
    );
  });

  it('fails where one arrives here', async () => {
    const failure = await failureText(run({ nc: netcat('true'), ping: UNKNOWN }));
    expect(failure).to.contain('a datagram of the phone arrived past the exit');
  });

  it('fails where the phone finds a name', async () => {
    const found = 'echo "PING example.com (93.184.215.14) 56(84) bytes of data."';
    expect(await failureText(run({ nc: netcat(OWN), ping: found }))).to.contain('looked up example.com past the exit');
  });

  it('is not offered where the phone cannot send any', async () => {
    expect(await failureText(run({ nc: 'exit 1', sleep: 'exit', ping: UNKNOWN }))).to.contain(
      'no nc -u that sends a datagram to itself',
    );
  });
});
