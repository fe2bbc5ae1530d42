import { expect } from 'chai';
import { runScript } from '../../../testing/phone/run-script.js';
import { startPhone } from '../../../testing/phone/start-phone.js';

describe('od and dd', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  const run = async (script: string): Promise<string> => {
    const { stdout, stderr } = await runScript(world.phone.machine, script);
    return stdout + stderr;
  };

  it('od shows bytes as its types say', async () => {
    expect(await run(`printf 'a\\n\\303\\244\\0' | od -c`)).to.equal('0000000   a  \\n 303 244  \\0\n0000005\n');
    expect(await run('echo abc | od -An -tx1')).to.equal(' 61 62 63 0a\n');
    expect(await run('echo abc | od')).to.equal('0000000 061141 005143\n0000004\n');
    expect(await run('echo abc | od -A x -t x4u1')).to.equal('000000 0a636261\n        97  98  99  10\n000004\n');
    expect(await run("printf '\\377\\377' | od -An -td1 -td2")).to.equal('   -1   -1\n     -1\n');
    expect(await run('echo " x" | od -ta')).to.equal('0000000  sp   x  nl\n0000003\n');
    expect(await run('yes | head -c 64 | od -tx1 -j 2 -N 48')).to.equal(`0000002${' 79 0a'.repeat(8)}\n*\n0000062\n`);
    expect(await run('echo | od -t q')).to.equal('od: bad -t q\n');
    expect(await run('echo | od --nosuch')).to.contain('Unknown option');
  });

  it('dd copies blocks, and refuses what it cannot do', async () => {
    expect(await run('cd /data/local/tmp; dd if=/dev/zero of=z bs=1k count=3 status=none; stat -c %s z')).to.equal(
      '3072\n',
    );
    expect(await run('printf abcdefgh | dd bs=2 skip=1 count=2 2>/dev/null')).to.equal('cdef');
    expect(await run('printf abcde | dd bs=2 of=/dev/null')).to.match(
      /^2\+1 records in\n2\+1 records out\n5 bytes copied, /,
    );
    expect(await run('dd if=/nope')).to.equal('dd: /nope: No such file or directory\n');
    expect(await run('dd seek=1 of=/data/local/tmp/z < /dev/null')).to.equal(
      'dd: seek=1: not supported by this phone\n',
    );
    expect(await run('dd nosuch=1')).to.equal("dd: bad arg 'nosuch=1'\n");
    expect(await run('dd bs=1G count=1 if=/dev/zero')).to.equal("dd: bad block size '1G'\n");
  });

  it('cat -v shows what has no sign of its own', async () => {
    expect(await run("printf 'a\\t\\033\\377\\n' | cat -vet")).to.equal('a^I^[M-^?$\n');
  });
});
